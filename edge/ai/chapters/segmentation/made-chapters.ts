/** Evidence for the start of a chapter. */
export type Reasons = {
	/** Lexical cohesion of the two sides versus across them, in standard deviations. */
	words: number
	pauseSec: number
	/** Whether the first sentence announces another topic. */
	isAnnounced: boolean
	isShotCut: boolean
}
export type MadeChapter = { title: string; startTime: number; endTime: number; reasons: Reasons }

/** A shorter video has a single topic. */
export const MIN_DURATION_SEC = 120
const MIN_CHAPTER_SEC = 20
const MIN_CHAPTER_SHARE = 0.03

export const minChapterSec = (durationSec: number): number =>
	Math.max(MIN_CHAPTER_SEC, MIN_CHAPTER_SHARE * durationSec)

/** Fewer chapters are better. A short video may have as many as its words clearly show. */
const CHAPTERS_PER_HOUR = 4.2
const EXTRA_CHAPTERS = 6

/** Returns the most chapters that a video may have, and the fewest it should have even without clear boundaries. */
export function chooseChapterLimits(durationSec: number): { least: number; most: number } {
	const hours = durationSec / 3_600
	return {
		least: Math.max(1, Math.floor((hours * CHAPTERS_PER_HOUR) / 2)),
		most: Math.round(CHAPTERS_PER_HOUR * Math.max(hours, Math.sqrt(hours))) + EXTRA_CHAPTERS,
	}
}
