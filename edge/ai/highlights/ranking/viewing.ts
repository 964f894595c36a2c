import type { PlayableRow } from '../../../video/assets/store.ts'

/** How long each part of a video was played, in milliseconds. The last bucket may be shorter than `bucketMs`. */
export type Viewing = {
	bucketMs: number
	/** Including repetitions. */
	heat: number[]
	/** Counts each moment once per session. */
	cover: number[]
	/** The sessions in the curve, without members and bots. */
	starts: number
}

declare module '../../../platform/deps.ts' {
	interface Contributions {
		/**
		 * Returns the viewing of the last 30 days; null without analytics or sessions. Injected, because analytics import
		 * this wing.
		 */
		readRecentViewing(
			deps: Deps,
			video: { playbackId: PlayableRow['playbackId']; durationSec: number },
		): Promise<Viewing | null>
	}
}
