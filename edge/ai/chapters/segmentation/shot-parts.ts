import { roundMs } from '../../transcripts/word-times.ts'
import { chooseChapterLimits, type MadeChapter, minChapterSec } from './made-chapters.ts'

/** Quickly cut videos have no visible parts: long shots must fill at least this share. */
const MIN_LONG_SHARE = 0.7

const NAMES: Record<string, string> = {
	...{ en: 'Part', de: 'Teil', es: 'Parte', fr: 'Partie', it: 'Parte', nl: 'Deel', pt: 'Parte' },
}

/**
 * Divides a video without speech by its long shots, such as slides or scenes. Short shots belong to the part before.
 * Returns none if there are too many parts, or short shots fill most of the video.
 */
export function divideByShots(
	shots: readonly number[],
	durationSec: number,
	language: string | null = null,
): MadeChapter[] {
	const minSec = minChapterSec(durationSec)
	const inside = shots.filter((shot) => shot > 0 && shot < durationSec)
	const long = [0, ...inside]
		.map((start, at) => ({ start, seconds: (inside[at] ?? durationSec) - start }))
		.filter(({ seconds }) => seconds >= minSec)
	const longSec = long.reduce((sum, { seconds }) => sum + seconds, 0)
	if (
		long.length < 2 ||
		long.length > chooseChapterLimits(durationSec).most ||
		longSec < durationSec * MIN_LONG_SHARE
	)
		return []
	const starts = [0, ...long.slice(1).map(({ start }) => start)]
	return starts.map((start, at) => ({
		title: partTitle(at + 1, language),
		startTime: roundMs(start),
		endTime: roundMs(starts[at + 1] ?? durationSec),
		reasons: { words: 0, pauseSec: 0, isAnnounced: false, isShotCut: at > 0 },
	}))
}

/** Languages without a translation here get only a number. */
function partTitle(number: number, language: string | null): string {
	const name = NAMES[(language ?? 'en').split('-')[0] ?? '']
	return name === undefined ? String(number) : `${name} ${number}`
}
