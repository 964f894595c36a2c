import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import type { ScriptedReport, ScriptedSession } from './scripted-session.ts'

/** What the objects have on disk about a session; null if it is closed and added to the sums. */
export type StoredSession = ScriptedReport | null

/** What is known about one session from outside: what was sent, acknowledged, and counts. */
export class SessionRecord {
	readonly script: ScriptedSession
	/** The highest number that was sent, whether it was acknowledged or not. */
	sent = 0
	/** The highest number that the server acknowledged. */
	acknowledged = 0
	/** The highest number that must outlive the next kill, or is too new for that, and since when (AnswerClock). */
	promised = 0
	promisedAt = 0
	/** The number of the state that counts: the newest that was acknowledged, or what a kill left of it. */
	counted = 0

	constructor(script: ScriptedSession) {
		this.script = script
	}

	acknowledge(seq: number, now: number): void {
		this.acknowledged = Math.max(this.acknowledged, seq)
		if (seq <= this.promised) return
		this.promised = seq
		this.promisedAt = now
	}

	count(seq: number): void {
		this.counted = Math.max(this.counted, seq)
	}

	get state() {
		return this.script.reports[this.counted - 1]?.state
	}

	/** Whether the newest promised report said that the session is over. */
	get hasEnd(): boolean {
		return this.script.reports[this.promised - 1]?.isEnd ?? false
	}
}

/** What a kill took from a session until the next report of its player. */
export type Loss = { id: string; ageMs: number; problem?: string }

/**
 * Sets what counts after a kill to what is on disk. Returns what was acknowledged and is not there, with a problem if that
 * must not happen.
 */
export function restart(
	record: SessionRecord,
	stored: StoredSession | undefined,
	killedAt: number,
	maxAgeMs: number,
): Loss | null {
	// Closed sessions change no more.
	if (stored === null) return null
	const { script, promised } = record
	const seq = stored?.state.seq ?? 0
	record.counted = seq
	const unsaid = seq > record.sent ? 'more is stored than was sent' : null
	const changed =
		stored && !isAsSent(stored.state, script.reports[seq - 1]?.state)
			? 'another state is stored than was sent'
			: null
	const ageMs = killedAt - record.promisedAt
	const isLost = seq < promised
	const lostEnd = isLost && record.hasEnd ? 'an acknowledged end was lost' : null
	const tooOld = isLost && ageMs > maxAgeMs ? 'a report was not written in time' : null
	const problem = unsaid ?? changed ?? lostEnd ?? tooOld
	record.promised = seq
	if (!isLost && !problem) return null
	return {
		id: script.id,
		ageMs,
		...(problem && { problem }),
	}
}

/** `deliveredMs` may be less than was sent: the server limits it by the time since the first report. */
function isAsSent(
	{ deliveredMs, ...stored }: PlaybackState,
	{ deliveredMs: claimedMs, ...sent }: Partial<PlaybackState> = {},
): boolean {
	const isWithinClaim = Object.entries(deliveredMs).every(([height, ms]) => ms <= (claimedMs?.[height] ?? 0))
	return isWithinClaim && JSON.stringify(sorted(stored)) === JSON.stringify(sorted(sent))
}

const sorted = (state: object) => Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1))
