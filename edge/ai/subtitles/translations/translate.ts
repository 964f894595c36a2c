import { MAX_LANGUAGES } from '#schema/contract/ai/subtitles/subtitles.ts'
import type { MessageByType } from '#schema/contract/messages.ts'
import { HOUR, MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findAsset } from '../../../video/assets/assets.ts'
import { deleteCachedPlayable } from '../../../video/assets/playable/playable.ts'
import type { AssetRow } from '../../../video/assets/store.ts'
import { askModel } from '../../providers/calls/ask-model.ts'
import { layOutText, type Subtitle } from '../../transcripts/subtitle-layout.ts'
import { parseSubtitles, SubtitleFileError } from '../files/parse-subtitles.ts'
import { subtitleStore } from '../store.ts'
import { deleteFiles, newSubtitlesKey, storeFiles } from '../subtitles.ts'
import { readTranslatedTexts, splitIntoBatches, type TextBatch, TranslationAnswer } from './batches.ts'
import { type TranslationRow, translationStore } from './store.ts'

/** A Worker has at most six open connections. */
const CALLS_AT_ONCE = 4
/** Covers two tries of a call, and storing their results. */
const LEASE_MS = 10 * MINUTE
/** Consecutive tries without a finished batch. */
const MAX_RETRIES = 12
const MAX_TRIES = 8
/** Leaves room for models that reason before they answer. */
const MAX_TOKENS = 6_000

const reasons = {
	gone: 'the subtitles that it was translated from were replaced, or are too long; translate them again',
	counts:
		'the language model did not return one text for each subtitle; choose a larger model, then translate again',
	uploaded: 'Somebody uploaded subtitles in this language. Translate again with force to replace them.',
	full: `the video has ${MAX_LANGUAGES} languages; delete one, then translate again`,
	broken: 'Something failed each time, such as the storage of the files. Translate again later.',
	changing: 'the subtitles in this language are changing; translate again',
} as const

/** Translates the next batches of a translation, if it is due. Idempotent. */
export async function consumeTranslation(
	deps: Deps,
	{ assetId, language }: Pick<MessageByType<'subtitles.translate'>, 'assetId' | 'language'>,
): Promise<void> {
	const store = translationStore(deps.db)
	const now = deps.clock()
	const row = await store.claim({ assetId, language }, now, now + LEASE_MS)
	const asset = row && (await findAsset(deps, row.orgId, assetId))
	if (!row || !asset) return
	if (row.retries > MAX_RETRIES) return fail(deps, row, reasons.broken)
	const source = await readSource(deps, row)
	if (!source) return fail(deps, row, reasons.gone)
	const texts = source.map(({ lines }) => lines.join(' '))
	const done = await store.listBatches(row)
	const open = splitIntoBatches(texts).filter(({ from }) => !done.has(from))
	const asked = open.slice(0, CALLS_AT_ONCE)
	const ends = await Promise.allSettled(asked.map((each) => translateBatch(deps, row, each)))
	const outcomes = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
	const finished = asked.flatMap(({ from }, at) => {
		const end = ends[at]
		return end?.status === 'fulfilled' && end.value.state === 'completed'
			? [{ from, texts: end.value.texts }]
			: []
	})
	await store.storeBatches(row, finished, texts.length, deps.clock())
	const thrown = ends.find(({ status }) => status === 'rejected')
	if (thrown?.status === 'rejected') throw thrown.reason
	const failed = outcomes.find(({ state }) => state === 'failed')
	if (failed?.state === 'failed') return fail(deps, row, failed.reason)
	const waiting = outcomes.find(({ state }) => state === 'retry')
	if (waiting?.state === 'retry') return waitFor(deps, row, waiting)
	if (open.length > asked.length) {
		await store.release(deps.work, row, { dueAt: deps.clock(), reason: null }, deps.clock())
		return deps.send({ type: 'subtitles.translate', assetId, language })
	}
	for (const { from, texts } of finished) done.set(from, texts)
	await finish(deps, asset, row, translatedSubtitles(source, done))
}

/** Returns null if the file was replaced, or is too long to read. */
async function readSource({ objects }: Deps, { sourceKey }: TranslationRow): Promise<Subtitle[] | null> {
	const answer = await objects.media.get(sourceKey)
	if (answer.state !== 'found') return null
	try {
		return parseSubtitles(new Uint8Array(await new Response(answer.body).arrayBuffer()), true)
	} catch (error) {
		// The file exceeds the upload limit.
		if (error instanceof SubtitleFileError) return null
		throw error
	}
}

type BatchOutcome =
	| { state: 'completed'; texts: string[] }
	| { state: 'retry'; afterMs: number; reason: string }
	| { state: 'failed'; reason: string }

/** Translates texts. Retries an unusable answer once. */
async function translateBatch(deps: Deps, row: TranslationRow, { texts }: TextBatch): Promise<BatchOutcome> {
	const task = { task: taskOf(row), lines: texts, maxTokens: MAX_TOKENS }
	let reason: string = reasons.counts
	for (let i = 0; i < 2; i++) {
		const outcome = await askModel(deps, row.orgId, task, TranslationAnswer)
		if (outcome.state === 'completed') {
			const translated = readTranslatedTexts(outcome.answer, texts)
			if (translated) return { state: 'completed', texts: translated }
			reason = reasons.counts
		} else if (outcome.state === 'unusable') reason = `the language model failed: ${outcome.reason}`
		else if (outcome.state === 'retry') return outcome
		else return { state: 'failed', reason: `the language model failed: ${outcome.reason}` }
	}
	return { state: 'failed', reason }
}

const englishNames = new Intl.DisplayNames('en', { type: 'language' })
const nameOf = (language: string): string => `${englishNames.of(language) ?? language} (${language})`

const taskOf = ({ language, sourceLanguage }: TranslationRow): string =>
	`Translate the subtitles of a video ${sourceLanguage === 'und' ? '' : `from ${nameOf(sourceLanguage)} `}into ${nameOf(language)}. Each numbered text is one subtitle; they follow each other.
Answer with exactly one translation for each number. Never join, split, add or leave out subtitles, and never explain anything.`

function translatedSubtitles(
	source: readonly Subtitle[],
	batches: ReadonlyMap<number, readonly string[]>,
): Subtitle[] {
	const texts = [...batches].toSorted(([a], [b]) => a - b).flatMap(([, texts]) => texts)
	return source
		.map(({ fromMs, toMs }, at) => ({ fromMs, toMs, lines: layOutText(texts[at] ?? '') }))
		.filter(({ lines }) => lines.length > 0)
}

async function fail(deps: Deps, row: TranslationRow, reason: string): Promise<void> {
	await translationStore(deps.db).release(deps.work, row, { dueAt: null, reason }, deps.clock())
}

async function waitFor(
	deps: Deps,
	row: TranslationRow,
	{ afterMs, reason }: { afterMs: number; reason: string },
): Promise<void> {
	const text = `the language model is not available: ${reason}`
	if (row.retries >= MAX_RETRIES) return fail(deps, row, text)
	const dueAt = deps.clock() + Math.min(afterMs, HOUR)
	await translationStore(deps.db).release(deps.work, row, { dueAt, reason: text }, deps.clock())
}

async function finish(
	deps: Deps,
	asset: AssetRow,
	row: TranslationRow,
	subtitles: readonly Subtitle[],
): Promise<void> {
	const key = newSubtitlesKey(asset)
	await storeFiles(deps, key, subtitles)
	for (let i = 0; i < MAX_TRIES; i++) {
		const languages = await subtitleStore(deps.db).list(asset.id)
		const before = languages.find(({ language }) => language === row.language)
		const isKept = before?.source === 'upload' && before.key !== row.replaceableKey
		const isFull = !before && languages.length >= MAX_LANGUAGES
		if (isKept || isFull) {
			await deleteFiles(deps, key)
			return fail(deps, row, isKept ? reasons.uploaded : reasons.full)
		}
		if (await translationStore(deps.db).finish(deps.work, row, key, before, MAX_LANGUAGES, deps.clock())) {
			await deleteCachedPlayable(asset.playbackId)
			if (before) await deleteFiles(deps, before.key)
			return
		}
	}
	await deleteFiles(deps, key)
	await fail(deps, row, reasons.changing)
}
