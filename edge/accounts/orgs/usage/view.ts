import type { OrgUsage } from '#schema/contract/accounts/orgs.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Access, ByQuality, DeliveredMs } from './delivered.ts'

const minutesOf = (qualities: ByQuality) =>
	Object.entries(qualities)
		.map(([quality, ms]) => ({ quality, minutes: ms / MINUTE }))
		.toSorted((a, b) => heightOf(a.quality) - heightOf(b.quality))

/** An unknown quality comes last. */
const heightOf = (quality: string): number => Number.parseInt(quality, 10) || Number.MAX_SAFE_INTEGER

const totalOf = (qualities: ByQuality): number =>
	Object.values(qualities).reduce((total, ms) => total + ms, 0) / MINUTE

/** Media counts as the Worker served it. What players reported of it shows whether the two agree. */
export function viewDelivery({ served, reported }: DeliveredMs): NonNullable<OrgUsage['delivery']> {
	const checkOf = (access: Access) => {
		const servedMinutes = totalOf(served[access])
		return {
			reported: minutesOf(reported[access]),
			difference: servedMinutes > 0 ? totalOf(reported[access]) / servedMinutes - 1 : null,
		}
	}
	return {
		total: totalOf(served.public) + totalOf(served.signed),
		public: minutesOf(served.public),
		publicCheck: checkOf('public'),
		signed: { served: minutesOf(served.signed), ...checkOf('signed') },
	}
}
