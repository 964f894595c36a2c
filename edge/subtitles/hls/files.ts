import { mediaPrefix } from '../../assets/storage-keys.ts'
import type { PlayableRow } from '../../assets/store.ts'
import type { Deps } from '../../platform/deps.ts'
import { subtitleTracks } from '../tracks.ts'
import { withSubtitleTracks } from './master-tracks.ts'
import { writeSubtitlePlaylist, writeSubtitleSegment } from './segments.ts'

const MASTER = /(?:^|\/)master(?:-\d+)?\.m3u8$/
const SUBTITLES = /^((?:[\w-]+\/)*)subtitles\/([\w-]+)\/([\w-]+)(?:\.m3u8|\/(\d{1,6})\.vtt)$/

/**
 * Composes a file of stored ones when it is requested: a master playlist with the current subtitles, a playlist of
 * subtitles, or one of their segments. Returns null for any other path. The text is null if there is no such file.
 */
export function composedFile(deps: Deps, row: PlayableRow, path: string): Promise<string | null> | null {
	if (MASTER.test(path) && subtitleTracks(row).length > 0) return composeMaster(deps, row, path)
	const [, folder = '', language, pictures, index] = SUBTITLES.exec(path) ?? []
	if (language === undefined || pictures === undefined) return null
	return composeSubtitles(deps, row, { folder, language, pictures, index })
}

async function composeMaster(deps: Deps, row: PlayableRow, path: string): Promise<string | null> {
	const master = await readText(deps, mediaPrefix(row.playbackId) + path)
	return master === null ? null : withSubtitleTracks(master, subtitleTracks(row))
}

type SubtitlePath = { folder: string; language: string; pictures: string; index: string | undefined }

async function composeSubtitles(
	deps: Deps,
	row: PlayableRow,
	{ folder, language, pictures, index }: SubtitlePath,
): Promise<string | null> {
	const track = subtitleTracks(row).find((each) => each.language === language)
	if (!track) return null
	const [playlist, webVtt] = await Promise.all([
		readText(deps, `${mediaPrefix(row.playbackId)}${folder}${pictures}.m3u8`),
		index === undefined ? '' : readText(deps, track.key),
	])
	if (playlist === null || webVtt === null) return null
	return index === undefined
		? writeSubtitlePlaylist(playlist, pictures)
		: writeSubtitleSegment(playlist, webVtt, Number(index))
}

async function readText({ objects }: Deps, key: string): Promise<string | null> {
	const answer = await objects.media.get(key)
	return answer.state === 'found' ? new Response(answer.body).text() : null
}
