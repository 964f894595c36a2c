import { SpokenLanguage, TaskResult } from '#schema/contract/video/tasks.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { TaskRow } from '../../../video/transcoding/store/task-row.ts'
import type { ProviderOutcome } from '../../providers/calls/outcome.ts'

/** Converts a provider's result to the form of machines; null if it exceeds their limits. */
export function toTaskResult(
	{ spec, startedAt }: Pick<TaskRow, 'spec' | 'startedAt'>,
	{ result: { language, segments } }: Extract<ProviderOutcome, { state: 'completed' }>,
	now: number,
): TaskResult | null {
	if (spec.kind !== 'transcribe') return null
	const heard = SpokenLanguage.safeParse(language?.toLowerCase()).data
	const isInside = ({ start }: { start: number }) => start <= spec.durationSec
	return (
		TaskResult.safeParse({
			kind: 'transcribe',
			language: heard ?? spec.language,
			segments: segments
				.filter(isInside)
				.map(({ start, end, text, words = [] }) => ({ start, end, text, words })),
			workSec: Math.max(0, now - (startedAt ?? now)) / SECOND,
			mediaSec: spec.durationSec,
			hwAccelUsed: false,
			notes: [],
		}).data ?? null
	)
}
