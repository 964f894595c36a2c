import { MAX_LANGUAGES } from '#schema/contract/ai/subtitles/subtitles.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { getAsset } from '../../video/assets/assets.ts'
import { deleteCachedPlayable } from '../../video/assets/playable/playable.ts'
import { mediaPrefix } from '../../video/assets/storage-keys.ts'
import type { AssetRef, AssetRow } from '../../video/assets/store.ts'
import { srtKey } from '../transcripts/keys.ts'
import { writeSubRip, writeWebVtt } from '../transcripts/subtitle-files.ts'
import type { Subtitle } from '../transcripts/subtitle-layout.ts'
import { parseSubtitles, SubtitleFileError } from './files/parse-subtitles.ts'
import { type SubtitleFile, subtitleStore } from './store.ts'
import { listSubtitleTracks, type SubtitleTrack } from './tracks.ts'

/** Escaping makes a file full of `&` several times larger. */
const MAX_WRITTEN_CHARACTERS = 4_000_000
/** Each retry means that another request replaced the same language concurrently. */
const MAX_TRIES = 8

type Which = { assetId: string; lang: string }

export async function listSubtitles(deps: Deps, orgId: string, assetId: string): Promise<SubtitleTrack[]> {
	return tracksOf(deps, await getAsset(deps, orgId, assetId))
}

const tracksOf = async (deps: Deps, asset: AssetRow): Promise<SubtitleTrack[]> =>
	listSubtitleTracks({ ...asset, uploadedSubtitles: await subtitleStore(deps.db).list(asset.id) })

export const newSubtitlesKey = ({ playbackId }: Pick<AssetRow, 'playbackId'>): string =>
	`${mediaPrefix(playbackId)}subtitles/${randomBase62(16)}.vtt`

/** Stores a file as new objects, then deletes the replaced ones. */
export async function setSubtitles(
	deps: Deps,
	orgId: string,
	{ assetId, lang: language }: Which,
	file: { bytes: Uint8Array; isWebVtt: boolean },
): Promise<SubtitleTrack[]> {
	const asset = await getAsset(deps, orgId, assetId)
	const subtitles = parse(file)
	const key = newSubtitlesKey(asset)
	await storeFiles(deps, key, subtitles)
	let before: string | undefined
	try {
		before = await setKey(deps, asset, { language, key })
	} catch (error) {
		// After a database error, the row may name the new files.
		if (error instanceof AppError) await deleteFiles(deps, key)
		throw error
	}
	await deleteCachedPlayable(asset.playbackId)
	if (before !== undefined) await deleteFiles(deps, before)
	return tracksOf(deps, asset)
}

/** Returns the key that was replaced. */
async function setKey(
	deps: Deps,
	{ id, orgId }: AssetRef,
	{ language, key }: SubtitleFile,
): Promise<string | undefined> {
	const store = subtitleStore(deps.db)
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await getAsset(deps, orgId, id)
		const uploaded = await store.list(id)
		const before = uploaded.find((each) => each.language === language)?.key
		const isStored =
			before === undefined
				? await store.insert(asset, { language, key }, MAX_LANGUAGES, deps.now)
				: await store.replace(asset, { language, key }, before, deps.now)
		if (isStored) return before
		if (before === undefined && uploaded.length >= MAX_LANGUAGES)
			throw new AppError('conflict', `an asset has at most ${MAX_LANGUAGES} languages; delete one first`)
	}
	throw new AppError('conflict', 'another request changed these subtitles; try again')
}

export async function deleteSubtitles(
	deps: Deps,
	orgId: string,
	{ assetId, lang }: Which,
): Promise<SubtitleTrack[]> {
	const asset = await getAsset(deps, orgId, assetId)
	const key = await subtitleStore(deps.db).delete(asset, lang)
	if (key === undefined) throw notFoundError('uploaded subtitles in this language')
	await deleteCachedPlayable(asset.playbackId)
	await deleteFiles(deps, key)
	return tracksOf(deps, asset)
}

function parse({ bytes, isWebVtt }: { bytes: Uint8Array; isWebVtt: boolean }): Subtitle[] {
	try {
		return parseSubtitles(bytes, isWebVtt)
	} catch (error) {
		if (!(error instanceof SubtitleFileError)) throw error
		throw new AppError('unprocessable', error.message)
	}
}

export async function storeFiles(
	{ objects: { media } }: Deps,
	key: string,
	subtitles: readonly Subtitle[],
): Promise<void> {
	const text = writeWebVtt(subtitles)
	if (text.length > MAX_WRITTEN_CHARACTERS)
		throw new AppError(
			'unprocessable',
			'the subtitles are too large once escaped; use fewer & and < characters',
		)
	await Promise.all([
		media.put(key, text, { contentType: 'text/vtt; charset=utf-8' }),
		media.put(srtKey(key), writeSubRip(subtitles), { contentType: 'application/x-subrip; charset=utf-8' }),
	])
}

export const deleteFiles = ({ objects: { media } }: Deps, key: string): Promise<void> =>
	media.delete([key, srtKey(key)])
