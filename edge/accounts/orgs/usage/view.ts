import type { OrgUsage } from '#schema/contract/accounts/orgs.ts'
import { parseQuality } from '#schema/contract/video/quality.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Access, ByQuality, DeliveredMs } from './delivered.ts'

const minutesOf = (qualities: ByQuality) =>
	Object.entries(qualities)
		.map(([quality, ms]) => ({ quality, minutes: ms / MINUTE }))
		.toSorted((a, b) => linesOf(a.quality) - linesOf(b.quality))

/** An unknown quality comes last. */
const linesOf = (quality: string): number => parseQuality(quality)?.lines ?? Number.MAX_SAFE_INTEGER

const totalOf = (qualities: ByQuality): number =>
	Object.values(qualities).reduce((total, ms) => total + ms, 0) / MINUTE

/** Shows the Worker's count of delivered media beside the players' reports, for comparison. */
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
