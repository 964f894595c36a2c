import type { Chapter } from '#schema/contract/watch/player-page.ts'
import { parseSeconds } from '../parameters.ts'

const LINE = /^[([]?((?:\d{1,3}:)?\d{1,3}:\d{2})[)\]]?(.*)$/
const SEPARATOR = /^[-–—:|]/
/** Fewer timestamps are mentions, not a table of contents. */
const MIN_CHAPTERS = 3
const MIN_CHAPTER_SEC = 5
const MAX_TITLE_LENGTH = 200

/**
 * Parses chapters from a description: lines with a time and a title, starting at 0:00, ascending. Returns none for
 * any other text.
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
