import type { Highlight } from '#schema/contract/video/assets.ts'
import type { highlights } from '#schema/tables/ai/highlights.ts'

export type StoredHighlight = Pick<
	typeof highlights.$inferSelect,
	'id' | 'title' | 'description' | 'startMs' | 'endMs' | 'score' | 'reasons' | 'rewatch' | 'status'
>

/** The score of one standard deviation. */
const REWATCH_WEIGHT = 0.25
/** The standard deviation that counts as a reason, as for speech. */
const REASON_DEVIATIONS = 1

/** Returns the score from speech and rewatching. */
export const computeTotalScore = ({ score, rewatch }: Pick<StoredHighlight, 'score' | 'rewatch'>): number =>
	Math.round(Math.max(0, Math.min(1, score + REWATCH_WEIGHT * (rewatch ?? 0))) * 100) / 100

/** Returns a highlight for its owner; null if a person deleted it. */
export function viewHighlight(row: StoredHighlight): Highlight | null {
	const { id, title, description, startMs, endMs, reasons, rewatch, status } = row
	if (status === 'deleted') return null
	return {
		...{ id, title, description, startTime: startMs / 1_000, endTime: endMs / 1_000 },
		score: computeTotalScore(row),
		reasons: (rewatch ?? 0) >= REASON_DEVIATIONS ? [...reasons, 'rewatch'] : reasons,
		status,
	}
}
