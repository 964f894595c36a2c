import type { Env } from '../../../platform/env.ts'

/** Milliseconds of video by quality (`720p`). */
export type ByQuality = Record<string, number>

/** Unlisted videos are public: whoever knows the address can watch them. */
export type Access = 'public' | 'signed'

/** What was delivered in a month. */
export type DeliveredMs = {
	/** Delivered by the Worker. Only this is charged, because anybody can send reports. */
	served: Record<Access, ByQuality>
	/** Reported by players, including members and programs. */
	reported: Record<Access, ByQuality>
}

declare module '../../../platform/deps.ts' {
	interface Contributions {
		/** Returns what was delivered in a month (`2026-11`); null if that is not counted. */
		deliveredMs(deps: { env: Env }, orgId: string, month: string): Promise<DeliveredMs | null>
	}
}
