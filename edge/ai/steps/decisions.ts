import { AiStep } from '#schema/contract/video/assets.ts'
import type { AssetRow } from '../../video/assets/store.ts'
import type { StepState } from '../../video/transcoding/progress/ai-job-view.ts'
import { reasons } from './reasons.ts'

type Situation = {
	requested: ReadonlySet<AiStep>
	asset: Pick<AssetRow, 'transcriptKey' | 'transcriptBy'>
	isForced: boolean
	hasSound: boolean
	hasEngine: boolean
}

/** A transcript without a recorded author was sent by a person; one that a person removed stays removed. */
export const isEdited = ({
	transcriptKey,
	transcriptBy,
}: Pick<AssetRow, 'transcriptKey' | 'transcriptBy'>): boolean =>
	transcriptBy === 'person' || (transcriptBy === null && transcriptKey !== null)

/** Decides each step's first state. Steps that don't wait for a transcript start as `processing`. */
export function chooseFirstStates(steps: readonly AiStep[], situation: Situation): StepState[] {
	const transcription = transcriptionStart(situation)
	return steps.map((step) => {
		if (!situation.requested.has(step)) return toSkipped(step, reasons.notRequested)
		if (step === 'transcription') return transcription
		const waits = steps.includes('transcription') && transcription.status === 'pending'
		if (waits) return { step, status: 'pending', reason: null }
		return { step, status: 'processing', reason: null }
	})
}

function transcriptionStart({ requested, asset, isForced, hasSound, hasEngine }: Situation): StepState {
	const step = AiStep.enum.transcription
	if (!requested.has(step)) return toSkipped(step, reasons.notRequested)
	if (isEdited(asset) && !isForced) return toSkipped(step, reasons.edited)
	if (!hasSound) return toSkipped(step, reasons.noSound)
	if (!hasEngine) return toSkipped(step, reasons.noEngine)
	return { step, status: 'pending', reason: null }
}

export const toCompleted = (step: AiStep): StepState => ({ step, status: 'completed', reason: null })

export const toSkipped = (step: AiStep, reason: string): StepState => ({ step, status: 'skipped', reason })
