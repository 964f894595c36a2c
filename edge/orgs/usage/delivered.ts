import type { OrgUsage } from '#schema/contract/platform/orgs.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { Env } from '../../platform/env.ts'

/** Milliseconds of video by quality (`720p`). */
type ByQuality = Record<string, number>

/** What was delivered in a month. */
export type DeliveredMs = {
	/** What players of public videos reported. Their media does not pass the Worker. */
	public: ByQuality
	/** What players of signed videos reported. */
	signed: ByQuality
	/** What the Worker served of signed videos. */
	served: ByQuality
}

declare module '../../platform/deps.ts' {
	interface Contributions {
		/** Returns what was delivered in a month (`2026-11`); null if that is not counted. */
		deliveredMs(deps: { env: Env }, orgId: string, month: string): Promise<DeliveredMs | null>
	}
}

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
