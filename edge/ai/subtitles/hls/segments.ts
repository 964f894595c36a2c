import { START_OFFSET_SEC } from '#schema/contract/video/tasks.ts'

const MICROSECONDS = 1_000_000
const CLOCK_HZ = 90_000
/** Cue times start with the video, but its media starts later. */
const HEADER = `WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:${START_OFFSET_SEC * CLOCK_HZ},LOCAL:00:00:00.000\n`
const DURATION = /^#EXTINF:(\d+)(?:\.(\d{1,6}))?,/
const TIMES = /^(\d+):(\d\d):(\d\d)\.(\d{3}) --> (\d+):(\d\d):(\d\d)\.(\d{3})/

/** Returns a playlist of subtitles with the segments of a media playlist. Their URIs are below `folder`. */
export function writeSubtitlePlaylist(pictures: string, folder: string): string {
	let index = 0
	const lines = pictures.split('\n').flatMap((line) => {
		if (/^#EXT-X-(MAP|BYTERANGE)\b/.test(line)) return []
		return line === '' || line.startsWith('#') ? [line] : [`${folder}/${index++}.vtt`]
	})
	return lines.join('\n')
}

/**
 * Returns the segment at `index`: every cue shown during it, unchanged, so that players recognize a cue in two
 * segments. Returns null if there is no such segment.
 */
export function writeSubtitleSegment(
	pictures: string,
	cues: readonly SegmentCue[],
	index: number,
): string | null {
	const ends = segmentEnds(pictures)
	const to = ends[index]
	if (to === undefined) return null
	const from = ends[index - 1] ?? 0
	const shown = cues.filter((cue) => cue.from < to && cue.to > from)
	return [HEADER, ...shown.map(({ text }) => `${text}\n`)].join('\n')
}

/** A cue with its times in microseconds. The text includes its line of times. */
export type SegmentCue = { from: number; to: number; text: string }

/** Parses the cues of a file that we wrote. */
export const readCues = (webVtt: string): SegmentCue[] =>
	webVtt.split('\n\n').flatMap((block) => {
		const times = timesOf(block)
		return times ? [{ ...times, text: block.trimEnd() }] : []
	})

/** Returns the end of each segment in microseconds. */
function segmentEnds(playlist: string): number[] {
	let end = 0
	return playlist.split('\n').flatMap((line) => {
		const [, whole, fraction = ''] = DURATION.exec(line) ?? []
		if (whole === undefined) return []
		end += Number(whole) * MICROSECONDS + Number(fraction.padEnd(6, '0'))
		return [end]
	})
}

/** Parses the timing line of a cue that we wrote, which has no identifier. */
function timesOf(block: string): { from: number; to: number } | null {
	const parts = TIMES.exec(block)?.slice(1).map(Number)
	if (!parts) return null
	const [h1 = 0, m1 = 0, s1 = 0, ms1 = 0, h2 = 0, m2 = 0, s2 = 0, ms2 = 0] = parts
	return { from: microseconds(h1, m1, s1, ms1), to: microseconds(h2, m2, s2, ms2) }
}

const microseconds = (h: number, m: number, s: number, ms: number): number =>
	(((h * 60 + m) * 60 + s) * 1_000 + ms) * 1_000
