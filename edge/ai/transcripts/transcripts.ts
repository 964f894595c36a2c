import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { Transcript, TranscriptSegment } from '#schema/contract/ai/transcripts.ts'
import { requireUnchanged, type State } from '../../http/entity-tag.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { assetNotFoundError, durationUnknownError, findAsset, getAsset } from '../../video/assets/assets.ts'
import { deleteCachedPlayable } from '../../video/assets/playable/playable.ts'
import { readShots } from '../../video/assets/shots.ts'
import { mediaPrefix } from '../../video/assets/storage-keys.ts'
import type { AssetRef, AssetRow } from '../../video/assets/store.ts'
import { srtKey } from './keys.ts'
import { type TranscriptVersion, transcriptStore } from './store.ts'
import { writeSubRip, writeWebVtt } from './subtitle-files.ts'
import { layOutSubtitles } from './subtitle-layout.ts'
import { roundMs, timeWords } from './word-times.ts'
import { splitWords } from './words.ts'

/** Each retry means that another request replaced the transcript concurrently. */
const MAX_TRIES = 8
/** More than 20 hours of speech. The file is some 50 times larger than a text of short words. */
export const MAX_WORDS = 200_000
/** Other programs round their times, and the audio may be longer than the video. */
const TOLERANCE_SEC = 1

type StoredTranscript = { transcript: Transcript; transcriptKey: string | null }

/** Returns the values that a replacement changes. Each version has its own key. */
export const readTranscriptState = ({ transcriptKey }: Pick<AssetRow, 'transcriptKey'>): State => ({
	transcript: transcriptKey,
})

export async function getTranscript(deps: Deps, orgId: string, assetId: string): Promise<StoredTranscript> {
	const { transcriptKey } = await getAsset(deps, orgId, assetId)
	const transcript = transcriptKey && (await readTranscript(deps, transcriptKey))
	if (!transcript) throw notFoundError('transcript')
	return { transcript, transcriptKey }
}

/** Returns null if the transcript was replaced since its key was read. */
export async function readTranscript({ objects }: Deps, transcriptKey: string): Promise<Transcript | null> {
	const answer = await objects.media.get(transcriptKey)
	return answer.state === 'found' ? ((await new Response(answer.body).json()) as Transcript) : null
}

type NewTranscript = { language?: string | null | undefined; segments: TranscriptSegment[] }

/** Stores a new version with its subtitles, then deletes the former one. With `tags`, replaces only a version that has one of them. */
export async function replaceTranscript(
	deps: Deps,
	orgId: string,
	assetId: string,
	input: NewTranscript,
	tags: readonly string[] | null = null,
): Promise<StoredTranscript> {
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await getAsset(deps, orgId, assetId)
		if (tags) await requireUnchanged(tags, readTranscriptState(asset))
		const transcript = await composeTranscript(deps, asset, input)
		const version = await storeVersion(deps, asset, transcript)
		const isReplaced = await transcriptStore(deps.db).replace(
			deps.work,
			asset,
			{ ...version, transcriptBy: 'person' },
			spokenTextOf(transcript),
		)
		await deleteVersion(deps, isReplaced ? asset : version)
		if (isReplaced) {
			await deleteCachedPlayable(asset.playbackId)
			return { transcript, transcriptKey: version.transcriptKey }
		}
		if (!(await findAsset(deps, orgId, assetId))) throw assetNotFoundError()
	}
	throw new AppError('conflict', 'another request changed this transcript; try again')
}

/**
 * SQL condition: no person edited or removed the transcript. A transcript without a recorded author counts as a
 * person's.
 */
const isOfEngine = sql`
	(assets.transcript_by is 'engine' or (assets.transcript_by is null and assets.transcript_key is null))
`

/**
 * Stores an engine's transcript as `replaceTranscript` does. Changes nothing if a person edited it, unless
 * `isForced`, or if `condition` no longer holds.
 */
export async function replaceWithEngineTranscript(
	deps: Deps,
	orgId: string,
	assetId: string,
	input: NewTranscript,
	{
		isForced,
		hasSubtitles,
		condition,
		recordStatement,
	}: {
		isForced: boolean
		hasSubtitles: boolean
		condition: SQL
		/** Records the storage of the transcript in the same batch. */
		recordStatement: (isStored: SQL) => BatchItem<'sqlite'>
	},
): Promise<'stored' | 'edited' | 'superseded'> {
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await findAsset(deps, orgId, assetId)
		if (!asset) return 'superseded'
		const { transcriptKey, transcriptBy } = asset
		const isEdited = transcriptBy === 'person' || (transcriptBy === null && transcriptKey !== null)
		if (isEdited && !isForced) return 'edited'
		const transcript = await composeTranscript(deps, asset, input)
		const version = await storeVersion(deps, asset, transcript, hasSubtitles)
		const isReplaced = await transcriptStore(deps.db).replace(
			deps.work,
			asset,
			{ ...version, transcriptBy: 'engine' },
			spokenTextOf(transcript),
			sql`${condition} and ${isForced ? sql`1` : isOfEngine}`,
			recordStatement,
		)
		await deleteVersion(deps, isReplaced ? asset : version)
		if (isReplaced) {
			await deleteCachedPlayable(asset.playbackId)
			return 'stored'
		}
	}
	return 'superseded'
}

/** Makes the subtitles of a transcript that has none. Returns whether it has subtitles now. */
export async function makeSubtitles(deps: Deps, { id, orgId }: AssetRef): Promise<boolean> {
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await findAsset(deps, orgId, id)
		if (!asset?.transcriptKey) return false
		if (asset.subtitlesKey !== null) return true
		const transcript = await readTranscript(deps, asset.transcriptKey)
		if (!transcript) continue
		const subtitlesKey = await storeSubtitles(deps, asset, transcript)
		const isAdded = await transcriptStore(deps.db).addSubtitles(asset, subtitlesKey, deps.now)
		if (isAdded) {
			await deleteCachedPlayable(asset.playbackId)
			return true
		}
		await deleteVersion(deps, { transcriptKey: null, subtitlesKey })
	}
	return false
}

async function composeTranscript(
	deps: Deps,
	{ durationSec, transcriptKey, transcriptLanguage }: AssetRow,
	{ language = transcriptLanguage, segments }: NewTranscript,
): Promise<Transcript> {
	if (durationSec === null) throw durationUnknownError()
	const late = segments.findIndex(({ end }) => end > durationSec + TOLERANCE_SEC)
	if (late >= 0)
		throw new AppError(
			'validation',
			`transcript.segments.${late}.end: must not be after the end of the video (${durationSec} s)`,
		)
	const wordCount = segments.reduce((sum, { text }) => sum + splitWords(text).length, 0)
	if (wordCount > MAX_WORDS)
		throw new AppError('validation', `transcript.segments: must not have more than ${MAX_WORDS} words`)
	const hasAllWords = segments.every(({ words }) => words !== undefined)
	const before = transcriptKey !== null && !hasAllWords ? await readTranscript(deps, transcriptKey) : null
	const wordsBefore = before?.segments.flatMap(({ words }) => words) ?? []
	let at = 0
	return {
		language,
		duration: durationSec,
		text: segments.map(({ text }) => text).join(' '),
		segments: segments.map(({ start, end, text, words, suspect }, id) => {
			const span = { start: roundMs(start), end: roundMs(end) }
			while (at < wordsBefore.length && (wordsBefore[at]?.end ?? 0) <= span.start) at++
			let to = at
			while (to < wordsBefore.length && (wordsBefore[to]?.start ?? 0) < span.end) to++
			const known = words ?? wordsBefore.slice(at, to)
			return { id, ...span, text, words: timeWords(text, span, known), ...(suspect && { suspect }) }
		}),
	}
}

const spokenTextOf = ({ segments }: Transcript): string =>
	segments
		.filter(({ suspect }) => !suspect)
		.map(({ text }) => text)
		.join(' ')

async function storeVersion(
	deps: Deps,
	asset: AssetRow,
	transcript: Transcript,
	hasSubtitles = true,
): Promise<TranscriptVersion> {
	if (transcript.segments.length === 0)
		return { transcriptKey: null, subtitlesKey: null, transcriptLanguage: null }
	const { media } = deps.objects
	const transcriptKey = `${mediaPrefix(asset.playbackId)}transcripts/${randomBase62(16)}.json`
	await media.put(transcriptKey, JSON.stringify(transcript), { contentType: 'application/json' })
	const subtitlesKey = hasSubtitles ? await storeSubtitles(deps, asset, transcript) : null
	return { transcriptKey, subtitlesKey, transcriptLanguage: transcript.language }
}

async function storeSubtitles(deps: Deps, asset: AssetRow, transcript: Transcript): Promise<string> {
	const { media } = deps.objects
	const key = `${mediaPrefix(asset.playbackId)}subtitles/${randomBase62(16)}.vtt`
	const subtitles = layOutSubtitles(transcript, await readShots(deps, asset))
	await Promise.all([
		media.put(key, writeWebVtt(subtitles), { contentType: 'text/vtt; charset=utf-8' }),
		media.put(srtKey(key), writeSubRip(subtitles), { contentType: 'application/x-subrip; charset=utf-8' }),
	])
	return key
}

async function deleteVersion(
	{ objects: { media } }: Deps,
	{ transcriptKey, subtitlesKey }: Omit<TranscriptVersion, 'transcriptLanguage'>,
): Promise<void> {
	const keys = [transcriptKey, ...(subtitlesKey === null ? [] : [subtitlesKey, srtKey(subtitlesKey)])]
	const present = keys.filter((key) => key !== null)
	if (present.length > 0) await media.delete(present)
}
