import type { Chapter } from '#schema/contract/watch/player-page.ts'
import { parseSeconds } from '../parameters.ts'

const LINE = /^[([]?((?:\d{1,3}:)?\d{1,3}:\d{2})[)\]]?(.*)$/
const SEPARATOR = /^[-–—:|]/
/** Fewer times are mentions of moments, and not a table of contents. */
const MIN_CHAPTERS = 3
const MIN_CHAPTER_SEC = 5
const MAX_TITLE_LENGTH = 200

/**
 * Reads chapters from a description, as people write them: a line with a time and a title for each, the first one at
 * 0:00, in ascending order. Returns none if the lines are not such a list.
 */
export function parseDescribedChapters(description: string | null, durationSec: number): Chapter[] {
	const starts = (description ?? '').split('\n').flatMap((line) => {
		const [, clock, rest = ''] = LINE.exec(line.trim()) ?? []
		const startSec = parseSeconds(clock ?? null)
		const title = rest.trim().replace(SEPARATOR, '').trim()
		return startSec === null || title === ''
			? []
			: [{ startSec, title: [...title].slice(0, MAX_TITLE_LENGTH).join('') }]
	})
	const chapters = starts.map(({ startSec, title }, at) => ({
		title,
		startSec,
		endSec: starts[at + 1]?.startSec ?? durationSec,
	}))
	const isList =
		chapters.length >= MIN_CHAPTERS &&
		chapters[0]?.startSec === 0 &&
		chapters.every(({ startSec, endSec }) => endSec - startSec >= MIN_CHAPTER_SEC)
	return isList ? chapters : []
}
