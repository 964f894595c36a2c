import { AiStep, type AssetAiJob } from '#schema/contract/video/assets.ts'
import { AppError } from '../../http/errors.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { assetNotFoundError, findAsset, getAsset } from '../../video/assets/assets.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import { wakeFleet } from '../../video/fleet/wake.ts'
import { PROVIDER_LANE } from '../../video/transcoding/plan/lanes.ts'
import { type StepState, viewAiJob } from '../../video/transcoding/progress/ai-job-view.ts'
import { resumeChunksStatement } from '../../video/transcoding/speech/provider-chunks.ts'
import {
	CHUNK_SEC,
	chooseSpokenTrack,
	findPublishedJob,
	listSpeechTasks,
	PROVIDER_CHUNK_SEC,
	type PublishedJob,
	planSpeechStatements,
} from '../../video/transcoding/speech/speech-tasks.ts'
import { hasEditedHighlights } from '../highlights/highlights.ts'
import { advanceTranscription } from './advance.ts'
import { announceStatements } from './announce.ts'
import { queueChapters, runChaptersStep } from './chapters-step.ts'
import { chooseFirstStates, isEdited } from './decisions.ts'
import { findRecognizer } from './engines.ts'
import { beginHighlights } from './highlights-step.ts'
import { isResumable } from './provider/resumable.ts'
import { sendDueChunks } from './provider/send-due.ts'
import { reasons } from './reasons.ts'
import { aiStore, hasStepBegun } from './store.ts'
import { runSubtitlesStep } from './subtitles-step.ts'

type Request = {
	steps: readonly AiStep[]
	requested: ReadonlySet<AiStep>
	language: string | null
	isForced: boolean
	/** Whether processing requested the steps. It does so once, but its message may arrive twice. */
	isFirst: boolean
}

/** Begins the steps that were requested with the processing of an asset. */
export async function startSteps(
	deps: Deps,
	{ assetId, jobId }: { assetId: string; jobId: string },
): Promise<void> {
	const job = await findPublishedJob(deps, assetId)
	// The asset was deleted or reprocessed meanwhile.
	const asset = job?.id === jobId && (await findAsset(deps, job.orgId, assetId))
	if (!job || !asset) return
	const requested = new Set(AiStep.options.filter((step) => job.aiOptions[step]))
	const rows = await aiStore(deps.db).list(assetId)
	if (rows.length > 0 && rows.every((row) => row.jobId === jobId)) return
	await begin(deps, asset, job, {
		steps: AiStep.options,
		requested,
		language: null,
		isForced: false,
		isFirst: true,
	})
}

/**
 * Starts what the trash stopped, once the asset is back: open steps, or all if the end of its processing was reported
 * while the asset was in the trash.
 */
export async function resumeSteps(deps: Deps, orgId: string, assetId: string): Promise<void> {
	const asset = await findAsset(deps, orgId, assetId)
	const job = asset?.status === 'ready' && (await findPublishedJob(deps, assetId))
	if (!asset || !job) return
	const rows = await aiStore(deps.db).list(assetId)
	if (rows.length === 0 || rows.some(({ jobId }) => jobId !== job.id))
		return startSteps(deps, { assetId, jobId: job.id })
	const stopped = rows.filter(({ reason }) => reason === reasons.inTrash)
	// Each run has its own language and force.
	for (const run of Object.values(Object.groupBy(stopped, (row) => `${row.isForced} ${row.language}`))) {
		const [first, ...others] = run ?? []
		if (!first) continue
		const { language, isForced } = first
		const steps = [first, ...others].map(({ step }) => step)
		await begin(deps, asset, job, { steps, requested: new Set(steps), language, isForced, isFirst: false })
	}
}

/** Runs steps again at the request of the owner. */
export async function runSteps(
	deps: Deps,
	orgId: string,
	assetId: string,
	{ steps, language, force }: { steps: readonly AiStep[]; language?: string | undefined; force: boolean },
): Promise<AssetAiJob> {
	const asset = await getAsset(deps, orgId, assetId)
	const job = asset.status === 'ready' ? await findPublishedJob(deps, assetId) : undefined
	if (!job) throw new AppError('conflict', 'this asset is not ready; wait until it is processed')
	if (steps.includes('transcription') && isEdited(asset) && !force)
		throw new AppError('conflict', 'a person edited the transcript; send "force": true to replace it')
	if (steps.includes('chapters') && asset.chaptersEditedAt !== null && !force)
		throw new AppError('conflict', 'a person edited the chapters; send "force": true to replace them')
	if (steps.includes('highlights') && !force && (await hasEditedHighlights(deps, assetId)))
		throw new AppError(
			'conflict',
			'a person changed or deleted highlights; send "force": true to replace them',
		)
	const isBegun = await begin(deps, asset, job, {
		steps,
		requested: new Set(steps),
		language: language ?? null,
		isForced: force,
		isFirst: false,
	})
	if (!isBegun) throw assetNotFoundError()
	const view = viewAiJob(await aiStore(deps.db).list(assetId))
	if (!view) throw new AppError('not_found', 'this asset does not exist')
	return view
}

/** Returns whether any step began; none does if the asset was moved to the trash or deleted meanwhile. */
async function begin(deps: Deps, asset: AssetRow, job: PublishedJob, request: Request): Promise<boolean> {
	const { db, now } = deps
	const spoken = chooseSpokenTrack(job.audio)
	const language = request.language ?? spoken?.language?.toLowerCase() ?? null
	const chosen = await findRecognizer(deps, asset.orgId, language)
	const begun = chooseFirstStates(request.steps, {
		requested: request.requested,
		asset,
		isForced: request.isForced,
		hasSound: spoken !== null,
		hasEngine: chosen !== null,
	})
	const withoutText = spoken === null ? reasons.noSound : reasons.noTranscript
	const noTextReason = asset.transcriptKey === null ? withoutText : null
	const highlights = begun.some(({ step, status }) => step === 'highlights' && status === 'processing')
		? await beginHighlights(deps, asset, job.id, request.isForced)
		: null
	const runNow = ({ step }: StepState) => {
		if (step === 'highlights' && highlights) return highlights.start
		return step === 'subtitles'
			? runSubtitlesStep(deps, asset)
			: runChaptersStep(deps, asset, {
					...{ isForced: request.isForced, noTextReason, language },
					canWait: true,
				})
	}
	const started = await Promise.all(
		begun.map((state) => (state.status === 'processing' ? runNow(state) : state)),
	)
	const recognizes = started.some(({ step, status }) => step === 'transcription' && status === 'pending')
	const canResume =
		recognizes && !request.isFirst && isResumable(await listSpeechTasks(deps, asset.id), job, chosen)
	const states = started.map((state) =>
		state.step === 'transcription' && canResume ? { ...state, status: 'processing' as const } : state,
	)
	const run = {
		assetId: asset.id,
		orgId: asset.orgId,
		jobId: job.id,
		language,
		isForced: request.isForced,
	}
	const { stepsStarted } = await batch(db, {
		stepsStarted: aiStore(db).startStatement(run, states, now, request.isFirst),
		speechPlanned:
			recognizes && !canResume
				? planSpeechStatements(
						deps,
						{ job, asset, chunkSec: chosen?.lane === PROVIDER_LANE ? PROVIDER_CHUNK_SEC : CHUNK_SEC },
						hasStepBegun(run, { step: 'transcription', status: 'pending' }, now),
					)
				: null,
		chunksResumed: canResume
			? resumeChunksStatement(
					deps,
					asset.id,
					hasStepBegun(run, { step: 'transcription', status: 'processing' }, now),
				)
			: null,
		highlightsPlanned: highlights?.statements(hasStepBegun(run, highlights.start, now)) ?? null,
		endAnnounced: announceStatements(deps, asset),
	})
	if (stepsStarted.length === 0) return false
	if (!recognizes) await queueChapters(deps, asset, states)
	if (states.some(({ reason }) => reason === reasons.noEngine))
		deps.log.info('no speech engine', { assetId: asset.id, language })
	if (!recognizes && !highlights) return true
	deps.defer(queuePurges(deps))
	deps.defer(wakeFleet(deps))
	if (canResume) deps.defer(resume(deps, asset.id))
	return true
}

/** Sends the remaining chunks. Without any, all are done. */
async function resume(deps: Deps, assetId: string): Promise<void> {
	await sendDueChunks(deps)
	await advanceTranscription(deps, assetId)
}
