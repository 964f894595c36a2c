import { SECOND } from '../../../platform/clock.ts'
import { isPresentSession } from './open-session.ts'
import type { SessionPages } from './session-pages.ts'

/** Counting takes a while with thousands of sessions, so their count is kept for a moment. */
const COUNT_LIFE_MS = SECOND
const MANY_SESSIONS = 200

/** How many people watch in the sessions of one object. */
export class ViewerCount {
	#viewers = 0
	#at = 0

	of(sessions: SessionPages, now: number): number {
		const isNew = now >= this.#at && now - this.#at < COUNT_LIFE_MS
		if (isNew && sessions.size > MANY_SESSIONS) return this.#viewers
		this.#viewers = 0
		for (const session of sessions.all()) if (isPresentSession(session, now)) this.#viewers++
		this.#at = now
		return this.#viewers
	}
}
