import type { Deps } from '../../../platform/deps.ts'
import { RecentValues } from '../../../platform/recent-values.ts'
import { mediaPrefix } from '../../../video/assets/storage-keys.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import { listSubtitleTracks } from '../tracks.ts'
import { addSubtitleTracks } from './master-tracks.ts'
import { readCues, type SegmentCue, writeSubtitlePlaylist, writeSubtitleSegment } from './segments.ts'

/** Some megabytes of memory. */
const MAX_CACHED_CHARS = 2_000_000
/** Each version of a file has a key of its own. */
const recentCues = new RecentValues<readonly SegmentCue[]>(MAX_CACHED_CHARS)

const MASTER = /(?:^|\/)master(?:-\d+)?\.m3u8$/
const SUBTITLES = /^((?:[\w-]+\/)*)subtitles\/([\w-]+)\/([\w-]+)(?:\.m3u8|\/(\d{1,6})\.vtt)$/

/**
 * Composes a file on request: a master playlist with the current subtitles, a subtitle playlist or one of its
 * segments. Returns null for any other path. The text is null if there is no such file.
 */
export function composeFile(deps: Deps, row: PlayableRow, path: string): Promise<string | null> | null {
	if (MASTER.test(path) && listSubtitleTracks(row).length > 0) return composeMaster(deps, row, path)
	const [, folder = '', language, pictures, index] = SUBTITLES.exec(path) ?? []
	if (language === undefined || pictures === undefined) return null
	return composeSubtitles(deps, row, { folder, language, pictures, index })
}

async function composeMaster(deps: Deps, row: PlayableRow, path: string): Promise<string | null> {
	const master = await readText(deps, mediaPrefix(row.playbackId) + path)
	return master === null ? null : addSubtitleTracks(master, listSubtitleTracks(row))
}

type SubtitlePath = { folder: string; language: string; pictures: string; index: string | undefined }

async function composeSubtitles(
	deps: Deps,
	row: PlayableRow,
	{ folder, language, pictures, index }: SubtitlePath,
): Promise<string | null> {
	const track = listSubtitleTracks(row).find((each) => each.language === language)
	if (!track) return null
	const [playlist, cues] = await Promise.all([
		readText(deps, `${mediaPrefix(row.playbackId)}${folder}${pictures}.m3u8`),
		index === undefined ? [] : cuesOf(deps, track.key),
	])
	if (playlist === null || cues === null) return null
	return index === undefined
		? writeSubtitlePlaylist(playlist, pictures)
		: writeSubtitleSegment(playlist, cues, Number(index))
}

/** Caches the cues of a file: a player requests many segments, and parsing a long file takes tens of milliseconds. */
async function cuesOf(deps: Deps, key: string): Promise<readonly SegmentCue[] | null> {
	const known = recentCues.get(key)
	if (known) return known
	const webVtt = await readText(deps, key)
	if (webVtt === null) return null
	const cues = readCues(webVtt)
	recentCues.set(key, cues, webVtt.length)
	return cues
}

async function readText({ objects }: Deps, key: string): Promise<string | null> {
	const answer = await objects.media.get(key)
	return answer.state === 'found' ? new Response(answer.body).text() : null
}
