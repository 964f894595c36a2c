import type { EmbeddedFile } from '#schema/contract/watch/player-page.ts'
import { addSubtitleTracks } from '../../ai/subtitles/hls/master-tracks.ts'
import { listSubtitleTracks } from '../../ai/subtitles/tracks.ts'
import type { Deps } from '../../platform/deps.ts'
import { readCached, storeCached } from '../../platform/network/edge-cache.ts'
import { PEAKS_NAME, parsePeaks } from '../../video/assets/peaks.ts'
import type { PlayableRow } from '../../video/assets/store.ts'
import { findInitSegment, listFirstPlaylists } from './first-playlists.ts'

/** A master playlist changes when a rendition is added. */
const CACHE_SECONDS = 60
/** The playlist of a very long video would slow the page down too much. */
const MAX_PLAYLIST_CHARACTERS = 150_000
const MAX_INIT_BYTES = 4_096

export type FirstFiles = {
	/** The first media playlist, relative to the folder of the master playlist. */
	firstPlaylist: string | null
	/** The media playlist of the lowest quality, relative to the same folder. */
	lowestPlaylist: string | null
	/** The waveform of audio without video, from 0 to 255; null if unknown. */
	peaks: number[] | null
	/** Embedded files, by path relative to the folder of the master playlist. */
	files: Record<string, EmbeddedFile>
}

/** Returns the files that a player needs before the first segment. Popular videos are served from the cache. */
export async function readFirstFiles(deps: Deps, row: PlayableRow): Promise<FirstFiles> {
	const stored = await readStoredFiles(deps, row)
	const { files } = stored
	const name = row.manifestKey.slice(row.manifestKey.lastIndexOf('/') + 1)
	const master = files[name]
	if (!master || !('text' in master)) return stored
	const text = addSubtitleTracks(master.text, listSubtitleTracks(row))
	return { ...stored, files: { ...files, [name]: { text } } }
}

async function readStoredFiles(
	deps: Deps,
	{ manifestKey, width }: Pick<PlayableRow, 'manifestKey' | 'width'>,
): Promise<FirstFiles> {
	const key = `first-files-2/${manifestKey}`
	const cached = await readCached<FirstFiles>(key)
	if (cached) return cached
	const found = await collectFiles(deps, manifestKey, width === null)
	deps.defer(storeCached(key, found, CACHE_SECONDS))
	return found
}

async function collectFiles({ objects }: Deps, manifestKey: string, isAudio: boolean): Promise<FirstFiles> {
	const folder = manifestKey.slice(0, manifestKey.lastIndexOf('/') + 1)
	const read = async (name: string) => {
		const answer = await objects.media.get(folder + name)
		return answer.state === 'found' ? new Response(answer.body) : null
	}
	const masterName = manifestKey.slice(folder.length)
	const master = await (await read(masterName))?.text()
	// The player then requests the playlist itself and shows the error.
	if (master === undefined) return { firstPlaylist: null, lowestPlaylist: null, peaks: null, files: {} }
	const { video, lowest, audio } = listFirstPlaylists(master)
	const files: Record<string, EmbeddedFile> = { [masterName]: { text: master } }
	const collect = async (name: string) => {
		const text = await (await read(name))?.text()
		if (text === undefined || text.length > MAX_PLAYLIST_CHARACTERS) return
		files[name] = { text }
		const init = findInitSegment(text)
		const bytes = init && (await (await read(init))?.bytes())
		if (bytes && bytes.length <= MAX_INIT_BYTES) files[init] = { base64: base64Of(bytes) }
	}
	const names = new Set([video, lowest, audio].filter((name) => name !== null))
	const readPeaks = async () => parsePeaks((await (await read(PEAKS_NAME))?.text()) ?? '')
	const [peaks] = await Promise.all([isAudio ? readPeaks() : null, ...[...names].map(collect)])
	return { firstPlaylist: video, lowestPlaylist: lowest, peaks, files }
}

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
