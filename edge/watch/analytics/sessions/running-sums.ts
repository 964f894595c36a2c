import { HOUR, SECOND } from '../../../platform/clock.ts'
import { boundSums } from '../sums/sums.ts'
import { addSumsOfDuration, groupSumsByHour, HourSums, type PeriodSums } from './hour-sums.ts'
import type { OpenSession } from './open-session.ts'
import type { HourPart } from './org-outbox.ts'
import type { SessionPages } from './session-pages.ts'

/** A session lasts at most a day, and its hour may change until it is closed. */
const COPIED_MS = 26 * HOUR
/** Adding up thousands of sessions takes a second, so the result is kept for a moment. */
const OPEN_LIFE_MS = 10 * SECOND
const MANY_SESSIONS = 200

/** The sums of an object: those of its closed sessions, which are written, and those of its open sessions. */
export class RunningSums {
	readonly #hours: HourSums
	readonly #sessions: SessionPages
	#open: { sums: PeriodSums[]; at: number } | null = null
	/** The hours whose rows changed since they were copied to the root; null for all. */
	#changed: Set<number> | null = null

	constructor(sql: SqlStorage, sessions: SessionPages) {
		this.#hours = new HourSums(sql)
		this.#sessions = sessions
	}

	/** Returns when `merge` has something to do next; null if never. */
	nextMergeAt(): number | null {
		return this.#hours.nextMergeAt()
	}

	/**
	 * Adds sessions that are over, and merges old hours. Must run in the transaction that removes the sessions. Returns
	 * what was added.
	 */
	close(over: readonly OpenSession[], durationMs: number, now: number): HourPart[] {
		const added = groupSumsByHour(over, durationMs)
		this.#hours.addOwn(
			added.map(({ from, sums }) => ({ startedAt: from, sums })),
			durationMs,
		)
		for (const { from } of added) this.#changed?.add(from)
		this.#hours.merge(now, durationMs)
		if (over.length > 0) this.#open = null
		return added.map(({ from, sums }) => ({ hour: from, sums }))
	}

	between(from: number, to: number, durationMs: number, now: number): PeriodSums[] {
		const open = this.#openSums(durationMs, now).filter((period) => period.from >= from && period.from < to)
		return [...this.#hours.between(from, to, durationMs), ...open]
	}

	/** Replaces the copies of another object. */
	putCopies(shard: string, version: number, copies: readonly HourPart[], now: number): void {
		// Older hours may be a part of their day already.
		const kept = copies.filter(({ hour }) => hour >= now - COPIED_MS - HOUR)
		this.#hours.putOther(shard, version, kept)
	}

	/** Returns the hours that changed since the last call, whole, with the open sessions. */
	takeCopies(durationMs: number, now: number): HourPart[] {
		const open = this.#openSums(durationMs, now)
		const isDue = (hour: number) => this.#changed?.has(hour) ?? true
		const closed = this.#hours
			.own(now - COPIED_MS)
			.filter(({ hour }) => isDue(hour) || open.some(({ from }) => from === hour))
			.map(({ hour, sums }) => ({ from: hour, sums }))
		this.#changed = new Set()
		return [...Map.groupBy([...closed, ...open], ({ from }) => from)].map(([hour, parts]) => {
			const all = parts.map(({ sums }) => sums)
			return { hour, sums: boundSums(addSumsOfDuration(all, durationMs)) }
		})
	}

	/** The copies did not arrive, so all are taken next time. */
	copiesWereLost(): void {
		this.#changed = null
	}

	#openSums(durationMs: number, now: number): PeriodSums[] {
		const isNew = this.#open !== null && now >= this.#open.at && now - this.#open.at < OPEN_LIFE_MS
		if (this.#open && isNew && this.#sessions.size > MANY_SESSIONS) return this.#open.sums
		this.#open = { sums: groupSumsByHour(this.#sessions.all(), durationMs), at: now }
		return this.#open.sums
	}
}
