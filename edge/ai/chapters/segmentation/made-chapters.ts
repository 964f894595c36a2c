/** What speaks for the beginning of a chapter. */
export type Reasons = {
	/** How much more the words of each side have in common than those of both sides, in standard deviations. */
	words: number
	pauseSec: number
	/** Whether the first sentence announces another topic. */
	isAnnounced: boolean
	isShotCut: boolean
}
export type MadeChapter = { title: string; startTime: number; endTime: number; reasons: Reasons }

/** A shorter video has one topic. */
export const MIN_DURATION_SEC = 120
const MIN_CHAPTER_SEC = 20
const MIN_CHAPTER_SHARE = 0.03

export const minChapterSec = (durationSec: number): number =>
	Math.max(MIN_CHAPTER_SEC, MIN_CHAPTER_SHARE * durationSec)

/** Few chapters are better than many. A short video may have as many as its words show clearly. */
const CHAPTERS_PER_HOUR = 4.2
const EXTRA_CHAPTERS = 6

/** How many chapters a video may have, and should have even if its words don't show where they begin. */
export function chooseChapterLimits(durationSec: number): { least: number; most: number } {
	const hours = durationSec / 3_600
	return {
		least: Math.max(1, Math.floor((hours * CHAPTERS_PER_HOUR) / 2)),
		most: Math.round(CHAPTERS_PER_HOUR * Math.max(hours, Math.sqrt(hours))) + EXTRA_CHAPTERS,
	}
}
