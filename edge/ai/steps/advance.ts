import { sql } from 'drizzle-orm'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { findAsset } from '../../video/assets/assets.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import { wakeFleet } from '../../video/fleet/wake.ts'
import { PROVIDER_LANE } from '../../video/transcoding/plan/lanes.ts'
import type { StepState } from '../../video/transcoding/progress/ai-job-view.ts'
import { cancelChunksStatement, findChunkFailure } from '../../video/transcoding/speech/provider-chunks.ts'
import {
	dropSpeechStatements,
	listChunkTexts,
	listSpeechTasks,
	transcribeStatements,
} from '../../video/transcoding/speech/speech-tasks.ts'
import type { TaskRow } from '../../video/transcoding/store/task-row.ts'
import { MAX_WORDS, replaceWithEngineTranscript } from '../transcripts/transcripts.ts'
import { splitWords } from '../transcripts/words.ts'
import { announceStatements } from './announce.ts'
import { queueChapters, runChaptersStep } from './chapters-step.ts'
import { toCompleted, toSkipped } from './decisions.ts'
import { findRecognizer } from './engines.ts'
import { beginHighlights } from './highlights-step.ts'
import { sendDueChunks } from './provider/send-due.ts'
import { describeProviderFailure, reasons } from './reasons.ts'
import { aiStore, isForcedRun, isOpen, isStepAt, type StepRow } from './store.ts'
import { runSubtitlesStep } from './subtitles-step.ts'
import { assembleTranscript } from './transcript/assemble.ts'

type Run = {
	asset: AssetRow
	rows: readonly StepRow[]
	transcription: StepRow
	/** The recognition tasks, without chunk texts. */
	tasks: readonly TaskRow[]
}

/**
 * Continues the transcription of an asset: queues its chunks, or stores the transcript. Safe to run concurrently and
 * repeatedly.
 */
export async function advanceTranscription(deps: Deps, assetId: string): Promise<void> {
	const rows = await aiStore(deps.db).list(assetId)
	const transcription = rows.find(({ step }) => step === 'transcription')
	if (!transcription || !isOpen(transcription)) return
	const asset = await findAsset(deps, transcription.orgId, assetId)
	if (!asset) return
	const tasks = await listSpeechTasks(deps, assetId)
	const run = { asset, rows, transcription, tasks }
	const plan = tasks.find(({ kind }) => kind === 'speech-plan')
	const chunkTasks = tasks.filter(({ kind }) => kind === 'transcribe')
	const hasEnded = ({ state }: TaskRow) => state === 'failed' || state === 'cancelled'
	if (!plan || tasks.some(hasEnded)) return failTranscription(deps, run, await reasonOf(deps, tasks))
	if (plan.state !== 'done' || plan.result?.kind !== 'speech-plan') return
	const { chunks } = plan.result
	if (chunks.length === 0) return storeTranscript(deps, run, plan)
	if (chunkTasks.length === 0) return queueChunks(deps, run, plan)
	if (chunkTasks.length === chunks.length && chunkTasks.every(({ state }) => state === 'done'))
		return storeTranscript(deps, run, plan)
}

/** Queues a task for each chunk, for one chosen engine. */
async function queueChunks(deps: Deps, { asset, transcription }: Run, plan: TaskRow): Promise<void> {
	const { db, now } = deps
	if (plan.result?.kind !== 'speech-plan') return
	const chosen = await findRecognizer(deps, asset.orgId, transcription.language)
	// The machine may return; the sweep ends the wait.
	if (!chosen) return
	const { chunks } = plan.result
	await batch(db, {
		stepMoved: aiStore(db).moveStatement(
			transcription,
			{ status: 'processing', reason: null },
			now,
			isStepAt(transcription, 'transcription', 'pending'),
		),
		tasksInserted: transcribeStatements(
			deps,
			{ plan, chunks, asset, chosen },
			isStepAt(transcription, 'transcription', 'processing'),
		),
	})
	deps.defer(chosen.lane === PROVIDER_LANE ? sendDueChunks(deps) : wakeFleet(deps))
}

/** Owners see provider errors, such as a rejected key; machine errors are for operators. */
async function reasonOf(deps: Deps, tasks: readonly TaskRow[]): Promise<string> {
	const refused = tasks.find(({ lane, state }) => lane === PROVIDER_LANE && state === 'failed')
	const reason = refused && (await findChunkFailure(deps, refused))
	return reason ? describeProviderFailure(reason) : reasons.notRecognized
}

/** Stores the transcript of all chunks, and ends the steps. */
async function storeTranscript(deps: Deps, run: Run, plan: TaskRow): Promise<void> {
	const { asset, rows, transcription } = run
	if (plan.result?.kind !== 'speech-plan') return
	const { chunks, speech } = plan.result
	const texts = chunks.length === 0 ? [] : await listChunkTexts(deps, asset.id)
	if (countWords(texts) > MAX_WORDS) return failTranscription(deps, run, reasons.tooLong)
	const transcript = await assembleTranscript({
		durationSec: asset.durationSec ?? 0,
		speech,
		language: transcription.language,
		chunks: texts.flatMap(({ position, result }) => {
			const chunk = chunks[position]
			return chunk && result?.kind === 'transcribe' ? [{ ...chunk, ...result }] : []
		}),
	})
	const subtitles = rows.find(({ step }) => step === 'subtitles')
	const outcome = await replaceWithEngineTranscript(deps, asset.orgId, asset.id, transcript, {
		isForced: transcription.isForced,
		hasSubtitles: subtitles?.reason !== reasons.notRequested,
		condition: sql`${isCurrentRun(transcription)} and ${isForcedRun(transcription)}`,
		recordStatement: (isStored) => aiStore(deps.db).endForceStatement(transcription, isStored),
	})
	if (outcome === 'superseded') return
	const isEmpty = transcript.segments.length === 0
	const ends: StepState[] =
		outcome === 'edited'
			? [toSkipped('transcription', reasons.edited), ...(await endSubtitles(deps, run))]
			: [
					{ ...toCompleted('transcription'), reason: isEmpty ? reasons.noSpeech : null },
					isEmpty ? toSkipped('subtitles', reasons.noSpeech) : toCompleted('subtitles'),
				]
	const noTextReason = isEmpty ? reasons.noSpeech : null
	const chaptersReason = outcome === 'edited' ? noTranscriptReason(asset) : noTextReason
	await endSteps(deps, run, [...ends, ...(await endChapters(deps, run, chaptersReason))], noTextReason)
}

const countWords = (texts: readonly Pick<TaskRow, 'result'>[]): number =>
	texts
		.flatMap(({ result }) => (result?.kind === 'transcribe' ? result.segments : []))
		.reduce((sum, { text, words }) => sum + Math.max(splitWords(text).length, words.length), 0)

export async function failTranscription(deps: Deps, run: Run, reason: string): Promise<void> {
	await endSteps(deps, run, [
		{ step: 'transcription', status: 'failed', reason },
		...(await endSubtitles(deps, run)),
		...(await endChapters(deps, run, noTranscriptReason(run.asset))),
	])
}

const noTranscriptReason = ({ transcriptKey }: AssetRow): string | null =>
	transcriptKey === null ? reasons.noTranscript : null

/** Makes subtitles of the kept transcript, if their step is waiting. */
const endSubtitles = async (deps: Deps, { asset, rows }: Run): Promise<StepState[]> =>
	rows.some((row) => row.step === 'subtitles' && isOpen(row)) ? [await runSubtitlesStep(deps, asset)] : []

/** Makes chapters if their step is waiting, or if those of the former transcript would remain. */
async function endChapters(
	deps: Deps,
	{ asset, rows, transcription }: Run,
	noTextReason: string | null,
): Promise<StepState[]> {
	const step = rows.find((row) => row.step === 'chapters' && isOpen(row))
	if (!step && asset.chaptersKey === null) return []
	return [
		await runChaptersStep(deps, asset, {
			isForced: step?.isForced ?? false,
			noTextReason,
			language: transcription.language,
			canWait: step !== undefined,
		}),
	]
}

/**
 * Ends the open ones among these steps, and begins the highlights. Chunks are kept only for resuming after a provider
 * failure.
 */
async function endSteps(
	deps: Deps,
	{ asset, rows, transcription, tasks }: Run,
	others: readonly StepState[],
	noTextReason: string | null = null,
): Promise<void> {
	const { db, now } = deps
	const open = rows.filter(isOpen)
	const step = open.find((row) => row.step === 'highlights')
	const highlights =
		step && noTextReason === null ? await beginHighlights(deps, asset, step.jobId, step.isForced) : null
	const start = highlights?.start ?? toSkipped('highlights', noTextReason ?? reasons.notRequested)
	const ends = [...others, start]
	const isCurrent = isCurrentRun(transcription)
	await batch(db, {
		chunksPurged: mayResume(ends, tasks)
			? [cancelChunksStatement(deps, asset.id, isCurrent)]
			: dropSpeechStatements(deps, asset.id, isCurrent),
		othersMoved: ends.flatMap(({ step, status, reason }) =>
			open
				.filter((row) => row.step === step && step !== 'transcription')
				.map((row) => aiStore(db).moveStatement(row, { status, reason }, now, isCurrent)),
		),
		highlightsPlanned:
			step && highlights ? highlights.statements(isStepAt(step, 'highlights', start.status)) : null,
		transcriptionMoved: ends.flatMap(({ step, status, reason }) =>
			step === 'transcription' ? [aiStore(db).moveStatement(transcription, { status, reason }, now)] : [],
		),
		endAnnounced: announceStatements(deps, asset),
	})
	await queueChapters(deps, asset, ends)
	deps.defer(queuePurges(deps))
	if (highlights) deps.defer(wakeFleet(deps))
}

const mayResume = (ends: readonly StepState[], tasks: readonly TaskRow[]): boolean =>
	ends.some(({ step, status }) => step === 'transcription' && status === 'failed') &&
	tasks.some(({ lane }) => lane === PROVIDER_LANE)

const isCurrentRun = (row: StepRow) => isStepAt(row, 'transcription', row.status)
