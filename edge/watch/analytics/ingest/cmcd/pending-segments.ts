import { SECOND } from '../../../../platform/clock.ts'
import { addAmounts, mapRecord } from '../../sums/records.ts'

/** Video served to a session: fractional milliseconds by the shorter side of the frame. */
export type ServedSegment = { deliveredMs: Record<string, number>; isStarved: boolean }

const REPORT_EVERY_MS = 20 * SECOND
const MAX_SESSIONS = 1_000

/**
 * Accumulates served segments until they are reported: immediately for a new session, then every 20 seconds. Segments served
 * after the last report of a session, and those pending when the isolate ends, are lost.
 */
export class PendingSegments {
	readonly #bySession = new Map<string, ServedSegment & { reportedAt: number }>()
	readonly #maxSessions: number

	constructor(maxSessions = MAX_SESSIONS) {
		this.#maxSessions = maxSessions
	}

	/** Adds a segment. Returns the segments to report now, in whole milliseconds, or null. */
	add(session: string, segment: ServedSegment, now: number): ServedSegment | null {
		const known = this.#bySession.get(session)
		const added = known ? joined(known, segment) : segment
		const isDue = !known || now < known.reportedAt || now - known.reportedAt >= REPORT_EVERY_MS
		// Keeps the least recently served session first.
		this.#bySession.delete(session)
		this.#bySession.set(
			session,
			isDue ? { ...none, reportedAt: now } : { ...added, reportedAt: known.reportedAt },
		)
		const [oldest] = this.#bySession.keys()
		if (this.#bySession.size > this.#maxSessions && oldest !== undefined) this.#bySession.delete(oldest)
		return isDue ? rounded(added) : null
	}
}

const none: ServedSegment = { deliveredMs: {}, isStarved: false }

const joined = (a: ServedSegment, b: ServedSegment): ServedSegment => ({
	deliveredMs: addAmounts(a.deliveredMs, b.deliveredMs),
	isStarved: a.isStarved || b.isStarved,
})

const rounded = ({ deliveredMs, isStarved }: ServedSegment): ServedSegment => ({
	deliveredMs: mapRecord(deliveredMs, Math.round),
	isStarved,
})
