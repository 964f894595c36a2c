import type { Env } from '../../platform/env.ts'

/** Milliseconds of video by quality (`720p`). */
export type ByQuality = Record<string, number>

/** What was delivered in a month. */
export type DeliveredMs = {
	/** What players of public videos reported, members and programs included. Their media does not pass the Worker. */
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
