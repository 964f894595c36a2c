import type { PlayableRow } from '../../../video/assets/store.ts'

/** How much of each part of a video was played, in milliseconds. The last bucket may be shorter than `bucketMs`. */
export type Viewing = {
	bucketMs: number
	/** Repetitions included. */
	heat: number[]
	/** Each moment counts once for a session. */
	cover: number[]
	/** The sessions that are in the curve. Members and bots are left out. */
	starts: number
}

declare module '../../../platform/deps.ts' {
	interface Contributions {
		/**
		 * Returns what viewers played of a video in the last 30 days; null without analytics, or without any session.
		 * Analytics import this wing, so this wing can't import them.
		 */
		readRecentViewing(
			deps: Deps,
			video: { playbackId: PlayableRow['playbackId']; durationSec: number },
		): Promise<Viewing | null>
	}
}
