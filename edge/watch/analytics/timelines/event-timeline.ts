import { limitState } from '../sessions/limit-state.ts'
import type { SessionState } from '../sessions/session.ts'
import { addToTimeline, type Timeline } from './timeline.ts'

/** When the first and the newest reports of a session arrived, by the clock of the server. */
export type Arrival = { startedAt: number; reportedAt: number }

/**
 * Adds the states after events of a player. Its clock may be wrong, so only the time since its first event counts, and
 * nothing happened after its newest report.
 */
export function addStates(
	timeline: Timeline,
	states: Iterable<{ at: number; state: SessionState }>,
	{ beganAt, startedAt, reportedAt }: Arrival & { beganAt: number },
): Timeline {
	let added = timeline
	for (const { at, state } of states) {
		const happenedAt = Math.min(startedAt + at - beganAt, reportedAt)
		added = addToTimeline(added, happenedAt, limitState(state, reportedAt - startedAt))
	}
	return added
}
