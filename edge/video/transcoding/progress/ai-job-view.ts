import { type AiStatus, AiStep, type AssetAiJob } from '#schema/contract/video/assets.ts'

export type StepState = { step: AiStep; status: AiStatus; reason: string | null }

export const openStatuses = ['pending', 'processing'] as const satisfies AiStatus[]
export const isOpenStatus = (status: AiStatus): boolean => openStatuses.some((open) => open === status)

/** Returns null for an asset whose steps never began. */
export function viewAiJob(steps: readonly StepState[]): AssetAiJob | null {
	if (steps.length === 0) return null
	const statusOf = (step: AiStep) => steps.find((each) => each.step === step)?.status ?? 'skipped'
	const reasons = AiStep.options.flatMap((step) => {
		const reason = steps.find((each) => each.step === step)?.reason
		return reason ? [[step, reason]] : []
	})
	return {
		status: statusOfAll(AiStep.options.map(statusOf)),
		transcriptionStatus: statusOf('transcription'),
		subtitlesStatus: statusOf('subtitles'),
		chaptersStatus: statusOf('chapters'),
		highlightsStatus: statusOf('highlights'),
		reasons: Object.fromEntries(reasons),
	}
}

function statusOfAll(statuses: readonly AiStatus[]): AiStatus {
	if (statuses.some(isOpenStatus))
		return statuses.every((status) => status !== 'processing' && status !== 'completed')
			? 'pending'
			: 'processing'
	if (statuses.includes('failed')) return 'failed'
	return statuses.every((status) => status === 'skipped') ? 'skipped' : 'completed'
}
