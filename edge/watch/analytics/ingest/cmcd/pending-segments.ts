import { SECOND } from '../../../../platform/clock.ts'
import { addAmounts, mapRecord } from '../../sums/records.ts'

/** What was served to a session: milliseconds of video by the shorter side of the picture, with fractions. */
export type ServedSegment = { deliveredMs: Record<string, number>; isStarved: boolean }

const REPORT_EVERY_MS = 20 * SECOND
const MAX_SESSIONS = 1_000

/**
 * Adds up what is served until it is reported: at once for a new session, then every 20 seconds. What is served after the
 * last report of a session, and what an isolate has when it ends, is not reported.
 */
export class PendingSegments {
	readonly #bySession = new Map<string, ServedSegment & { reportedAt: number }>()
	readonly #maxSessions: number

	constructor(maxSessions = MAX_SESSIONS) {
		this.#maxSessions = maxSessions
	}

	/** Adds a segment. Returns what is to be reported now, in whole milliseconds, or null. */
	add(session: string, segment: ServedSegment, now: number): ServedSegment | null {
		const known = this.#bySession.get(session)
		const added = known ? joined(known, segment) : segment
		const isDue = !known || now < known.reportedAt || now - known.reportedAt >= REPORT_EVERY_MS
		// The session that was served longest ago comes first.
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
