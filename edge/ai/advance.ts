import { findAsset } from '../assets/assets.ts'
import type { AssetRow } from '../assets/store.ts'
import { wakeFleet } from '../fleet/wake.ts'
import { batch } from '../platform/database/batch.ts'
import type { Deps } from '../platform/deps.ts'
import { queuePurges } from '../platform/storage/storage-purge.ts'
import { transcribeStatements } from '../transcoding/jobs/speech-tasks.ts'
import { speechStore } from '../transcoding/store/speech-store.ts'
import type { TaskRow } from '../transcoding/store/task-row.ts'
import { replaceWithEngineTranscript } from '../transcripts/transcripts.ts'
import { announceStatements } from './announce.ts'
import { runChaptersStep } from './chapters-step.ts'
import { completed, type StepStart, skipped } from './decisions.ts'
import { chooseEngine } from './engine-choice.ts'
import { listSpeechEngines } from './engines.ts'
import { beginHighlights } from './highlights-step.ts'
import { reasons } from './reasons.ts'
import { aiStore, isOpen, isStepAt, type StepRow } from './store.ts'
import { runSubtitlesStep } from './subtitles-step.ts'
import { assembleTranscript } from './transcript/assemble.ts'

type Run = { asset: AssetRow; rows: readonly StepRow[]; transcription: StepRow }

/** Takes the next step of an asset's recognition, if there is one. May run twice at once, and at any time. */
export async function advanceSpeech(deps: Deps, assetId: string): Promise<void> {
	const rows = await aiStore(deps.db).list(assetId)
	const transcription = rows.find(({ step }) => step === 'transcription')
	if (!transcription || !isOpen(transcription)) return
	const asset = await findAsset(deps, transcription.orgId, assetId)
	if (!asset) return
	const run = { asset, rows, transcription }
	const tasks = await speechStore(deps.db).list(assetId)
	const plan = tasks.find(({ kind }) => kind === 'speech-plan')
	const pieces = tasks.filter(({ kind }) => kind === 'transcribe')
	const hasEnded = ({ state }: TaskRow) => state === 'failed' || state === 'cancelled'
	if (!plan || tasks.some(hasEnded)) return failTranscription(deps, run, reasons.notRecognized)
	if (plan.state !== 'done' || plan.result?.kind !== 'speech-plan') return
	const { chunks } = plan.result
	if (chunks.length === 0) return store(deps, run, plan, [])
	if (pieces.length === 0) return hear(deps, run, plan)
	if (pieces.length === chunks.length && pieces.every(({ state }) => state === 'done'))
		return store(deps, run, plan, pieces)
}

/** Hands the chunks to the engine. */
async function hear(deps: Deps, { asset, transcription }: Run, plan: TaskRow): Promise<void> {
	const { db, now } = deps
	if (plan.result?.kind !== 'speech-plan') return
	const chosen = chooseEngine(await listSpeechEngines(deps), transcription.language)
	// The machine may come back; the sweep ends the wait.
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
	deps.defer(wakeFleet(deps))
}

/** Stores the transcript of all chunks, and ends the steps. */
async function store(deps: Deps, run: Run, plan: TaskRow, pieces: readonly TaskRow[]): Promise<void> {
	const { asset, rows, transcription } = run
	if (plan.result?.kind !== 'speech-plan') return
	const { chunks, speech } = plan.result
	const transcript = await assembleTranscript({
		durationSec: asset.durationSec ?? 0,
		speech,
		language: transcription.language,
		chunks: pieces.flatMap(({ position, result }) => {
			const chunk = chunks[position]
			return chunk && result?.kind === 'transcribe' ? [{ ...chunk, ...result }] : []
		}),
	})
	const subtitles = rows.find(({ step }) => step === 'subtitles')
	const outcome = await replaceWithEngineTranscript(deps, asset.orgId, asset.id, transcript, {
		isForced: transcription.isForced,
		hasSubtitles: subtitles?.reason !== reasons.notRequested,
		condition: isStepAt(transcription, 'transcription', transcription.status),
	})
	if (outcome === 'superseded') return
	const isEmpty = transcript.segments.length === 0
	const ends: StepStart[] =
		outcome === 'edited'
			? [skipped('transcription', reasons.edited), ...(await endSubtitles(deps, run))]
			: [
					{ ...completed('transcription'), reason: isEmpty ? reasons.noSpeech : null },
					isEmpty ? skipped('subtitles', reasons.noSpeech) : completed('subtitles'),
				]
	const textless = isEmpty ? reasons.noSpeech : null
	const missing = outcome === 'edited' ? missingText(asset) : textless
	await endSteps(deps, run, [...ends, ...(await endChapters(deps, run, missing))], textless)
}

export async function failTranscription(deps: Deps, run: Run, reason: string): Promise<void> {
	await endSteps(deps, run, [
		{ step: 'transcription', status: 'failed', reason },
		...(await endSubtitles(deps, run)),
		...(await endChapters(deps, run, missingText(run.asset))),
	])
}

const missingText = ({ transcriptKey }: AssetRow): string | null =>
	transcriptKey === null ? reasons.noTranscript : null

/** Makes the subtitles of the transcript that stays, if their step waits for them. */
const endSubtitles = async (deps: Deps, { asset, rows }: Run): Promise<StepStart[]> =>
	rows.some((row) => row.step === 'subtitles' && isOpen(row)) ? [await runSubtitlesStep(deps, asset)] : []

/** Makes the chapters if their step waits for them, or if those of the transcript before would stay. */
async function endChapters(deps: Deps, { asset, rows }: Run, missing: string | null): Promise<StepStart[]> {
	const step = rows.find((row) => row.step === 'chapters' && isOpen(row))
	if (!step && asset.chaptersKey === null) return []
	return [await runChaptersStep(deps, asset, { isForced: step?.isForced ?? false, missing })]
}

/** Ends the open ones of these steps, and begins the highlights. The chunks are no longer needed. */
async function endSteps(
	deps: Deps,
	{ asset, rows, transcription }: Run,
	others: readonly StepStart[],
	textless: string | null = null,
): Promise<void> {
	const { db, now } = deps
	const open = rows.filter(isOpen)
	const step = open.find((row) => row.step === 'highlights')
	const highlights =
		step && textless === null ? await beginHighlights(deps, asset, step.jobId, step.isForced) : null
	const start = highlights?.start ?? skipped('highlights', textless ?? reasons.notRequested)
	const ends = [...others, start]
	const isCurrent = sqlIsCurrent(transcription)
	await batch(db, {
		chunksPurged: speechStore(db).dropStatements(asset.id, now, isCurrent),
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
	deps.defer(queuePurges(deps))
	if (highlights) deps.defer(wakeFleet(deps))
}

const sqlIsCurrent = (row: StepRow) => isStepAt(row, 'transcription', row.status)
