import type { PlayableRow } from '../../../video/assets/store.ts'
import { renameKeys } from '../sums/records.ts'
import type { SessionEvents } from './read-events.ts'

/**
 * Maps qualities that a video does not have to its tallest one, because a player can claim any. The size of a video is that
 * of its largest rendition.
 */
export function limitQualities(session: SessionEvents, { width, height }: PlayableRow): SessionEvents {
	const { state, events } = session
	if (width === null || height === null) return session
	const tallest = Math.min(width, height)
	return {
		...session,
		state: state && {
			...state,
			renditionMs: limitHeights(state.renditionMs, tallest),
			deliveredMs: limitHeights(state.deliveredMs, tallest),
		},
		events: events.map((event) =>
			'height' in event && event.height !== undefined
				? { ...event, height: Math.min(event.height, tallest) }
				: event,
		),
	}
}

const limitHeights = (heights: Record<string, number>, tallest: number): Record<string, number> =>
	renameKeys(heights, (height) => String(Math.min(Number(height), tallest)))
