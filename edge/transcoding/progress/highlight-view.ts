import type { Highlight } from '#schema/contract/video/assets.ts'
import type { highlights } from '#schema/tables/transcoding.ts'

export type StoredHighlight = Pick<
	typeof highlights.$inferSelect,
	'id' | 'title' | 'description' | 'startMs' | 'endMs' | 'score' | 'reasons' | 'status'
>

/** Returns a highlight for its owner; null if a person deleted it. */
export function viewHighlight(row: StoredHighlight): Highlight | null {
	const { id, title, description, startMs, endMs, score, reasons, status } = row
	if (status === 'deleted') return null
	return {
		...{ id, title, description, startTime: startMs / 1_000, endTime: endMs / 1_000 },
		...{ score, reasons, status },
	}
}
