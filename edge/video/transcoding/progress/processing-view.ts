import type { AssetJob } from '#schema/contract/video/assets.ts'
import { VideoCodec } from '#schema/contract/video/tasks.ts'
import type { AssetProgress } from '#schema/contract/video/transcoding.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import type { Processing } from '../store/processing-store.ts'
import { viewAiJob } from './ai-job-view.ts'
import { viewHighlight } from './highlight-view.ts'
import { computeProgressPercent, estimateSecondsLeft, findRunningStep, type Work } from './progress.ts'

export function viewProcessing(found: Processing | null, now: number) {
	const { job = null, work, renditions = [], aiSteps = [], highlights: stored = [] } = found ?? {}
	const aiJob = viewAiJob(aiSteps)
	const highlights = stored.map(viewHighlight).filter((highlight) => highlight !== null)
	if (!job || !work) return { renditions, currentStep: null, job: null, aiJob, highlights }
	return {
		renditions,
		currentStep: findRunningStep(job, work),
		job: viewAssetJob(job, work, now),
		aiJob,
		highlights,
	}
}

export function viewAssetJob(job: NonNullable<Processing['job']>, work: Work, now: number): AssetJob {
	return {
		id: job.id,
		status: job.status,
		workerKind: job.workerKind ?? 'none',
		hwAccelUsed: job.hwAccelUsed,
		progress: computeProgressPercent(job, work),
		estimatedSecondsLeft: estimateSecondsLeft(job, work, now),
		errorMessage: job.error,
		leftOut: viewLeftOut(job.leftOut),
		createdAt: toIso(job.createdAt),
		startedAt: toIsoOrNull(job.startedAt),
		endedAt: toIsoOrNull(job.endedAt),
	}
}

const viewLeftOut = (leftOut: Partial<Record<VideoCodec, string>> | null) =>
	VideoCodec.options.flatMap((codec) => {
		const reason = leftOut?.[codec]
		return reason === undefined ? [] : [{ codec, reason }]
	})

export function viewProgress({ asset, job, work }: Processing, now: number): AssetProgress {
	return {
		status: asset.status,
		currentStep: job && findRunningStep(job, work),
		jobStatus: job?.status ?? null,
		progress: job ? computeProgressPercent(job, work) : 0,
		estimatedSecondsLeft: job && estimateSecondsLeft(job, work, now),
		errorMessage: asset.status === 'error' ? asset.errorMessage : (job?.error ?? null),
	}
}
