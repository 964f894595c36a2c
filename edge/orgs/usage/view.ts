import type { OrgUsage } from '#schema/contract/platform/orgs.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { ByQuality, DeliveredMs } from './delivered.ts'

const minutesOf = (qualities: ByQuality) =>
	Object.entries(qualities)
		.map(([quality, ms]) => ({ quality, minutes: ms / MINUTE }))
		.toSorted((a, b) => heightOf(a.quality) - heightOf(b.quality))

/** An unknown quality comes last. */
const heightOf = (quality: string): number => Number.parseInt(quality, 10) || Number.MAX_SAFE_INTEGER

const totalOf = (qualities: ByQuality): number =>
	Object.values(qualities).reduce((total, ms) => total + ms, 0) / MINUTE

/** Signed media counts as the Worker served it. What players reported of it shows whether the two agree. */
export function viewDelivery(delivered: DeliveredMs): OrgUsage['delivery'] {
	const reported = totalOf(delivered.signed)
	const served = totalOf(delivered.served)
	return {
		total: totalOf(delivered.public) + served,
		public: minutesOf(delivered.public),
		signed: {
			served: minutesOf(delivered.served),
			reported: minutesOf(delivered.signed),
			difference: served > 0 ? reported / served - 1 : null,
		},
	}
}
