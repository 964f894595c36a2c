import { DAY, HOUR, monthStart, nextMonthStart } from '../../platform/clock.ts'
import { sameBuckets } from '../sums/same-buckets.ts'
import { sumsOf } from '../sums/session-sums.ts'
import { addAllSums, boundSums, type Sums } from '../sums/sums.ts'
import { hasTable } from './has-table.ts'
import type { PlaybackSession } from './session.ts'

/** The sums of an hour, a day or a month (UTC), which begins at `from`. */
export type PeriodSums = { from: number; sums: Sums }

/** Hours are merged into days when nothing can be added to them any more, and days into months much later. */
const MERGE_HOURS_AFTER_MS = 2 * DAY
const MERGE_DAYS_AFTER_MS = 400 * DAY

const hourOf = (instant: number): number => Math.floor(instant / HOUR) * HOUR
const dayOf = (instant: number): number => Math.floor(instant / DAY) * DAY

/** Hours before this instant are merged. */
export const hoursMergedBefore = (now: number): number => dayOf(now - MERGE_HOURS_AFTER_MS)
/** Days before this instant are merged. */
export const daysMergedBefore = (now: number): number => monthStart(now - MERGE_DAYS_AFTER_MS)

/**
 * What is added up for a video: one row for each hour and object, later one for each day, and then for each month.
 * Each object has its own rows, and the root has a copy of the rows of all. Such a copy is a whole, with a version, so it
 * may come late or twice.
 */
export class HourSums {
	readonly #sql: SqlStorage

	constructor(sql: SqlStorage) {
		this.#sql = sql
	}

	/** Adds closed sessions to the rows of an object's own hours. */
	addOwn(added: readonly { startedAt: number; sums: Sums }[], durationMs: number): void {
		const byHour = Map.groupBy(added, ({ startedAt }) => hourOf(startedAt))
		for (const [hour, group] of byHour) {
			const all = [this.#get(hour, ''), ...group.map(({ sums }) => sums)]
			this.#put(hour, '', 0, boundSums(addSame(all, durationMs)))
		}
	}

	/** Replaces the row of another object, unless the root has a newer one. */
	putOther(shard: string, version: number, hours: readonly { hour: number; sums: Sums }[]): void {
		for (const { hour, sums } of hours) this.#put(hour, shard, version, sums)
	}

	/** Returns the object's own rows from an instant on. */
	own(since: number): { hour: number; sums: Sums }[] {
		if (!hasTable(this.#sql, 'hours')) return []
		return this.#sql
			.exec<{ hour: number; sums: string }>(
				'select hour, sums from hours where shard = ? and hour >= ?',
				'',
				hourOf(since),
			)
			.toArray()
			.map(({ hour, sums }) => ({ hour, sums: JSON.parse(sums) }))
	}

	/** Returns the sums of all objects, by hour, and by day or month where these are merged. */
	between(from: number, to: number): PeriodSums[] {
		if (!hasTable(this.#sql, 'hours')) return []
		return [...this.#daysBetween(from, to), ...this.#hoursBetween(from, to)]
	}

	/** Merges old hours into days, and old days into months. */
	merge(now: number, durationMs: number): void {
		if (!hasTable(this.#sql, 'hours')) return
		const before = hoursMergedBefore(now)
		const oldHours = this.#hoursBetween(0, before)
		this.#addToDays(oldHours, dayOf, durationMs)
		if (oldHours.length > 0) this.#sql.exec('delete from hours where hour < ?', before)
		// The first day of a month becomes the row of the month.
		const oldDays = this.#daysBetween(0, daysMergedBefore(now)).filter(({ from }) => from > monthStart(from))
		this.#addToDays(oldDays, monthStart, durationMs)
		for (const { from } of oldDays) this.#sql.exec('delete from days where day = ?', from)
	}

	#addToDays(old: readonly PeriodSums[], startOf: (instant: number) => number, durationMs: number): void {
		for (const [day, rows] of Map.groupBy(old, ({ from }) => startOf(from))) {
			const [known] = this.#daysBetween(day, day + 1)
			const all = [known?.sums, ...rows.map(({ sums }) => sums)]
			this.#sql.exec(
				'insert or replace into days (day, sums) values (?, ?)',
				day,
				JSON.stringify(boundSums(addSame(all, durationMs))),
			)
		}
	}

	/** Returns when `merge` has something to do next; null if never. */
	nextMergeAt(): number | null {
		if (!hasTable(this.#sql, 'hours')) return null
		const { hour } = this.#sql.exec<{ hour: number | null }>('select min(hour) as hour from hours').one()
		if (hour !== null) return dayOf(hour) + DAY + MERGE_HOURS_AFTER_MS
		// The first day of a month has the row of the month, which stays.
		const [oldest] = this.#sql
			.exec<{ day: number }>(
				"select day from days where strftime('%d', day / 1000, 'unixepoch') > '01' order by day limit 1",
			)
			.toArray()
		return oldest ? nextMonthStart(oldest.day) + MERGE_DAYS_AFTER_MS : null
	}

	#daysBetween(from: number, to: number): PeriodSums[] {
		return this.#sql
			.exec<{ day: number; sums: string }>(
				'select day, sums from days where day >= ? and day < ?',
				dayOf(from),
				to,
			)
			.toArray()
			.map((row) => ({ from: row.day, sums: JSON.parse(row.sums) }))
	}

	#hoursBetween(from: number, to: number): PeriodSums[] {
		return this.#sql
			.exec<{ hour: number; sums: string }>(
				'select hour, sums from hours where hour >= ? and hour < ?',
				from,
				to,
			)
			.toArray()
			.map((row) => ({ from: row.hour, sums: JSON.parse(row.sums) }))
	}

	#get(hour: number, shard: string): Sums | undefined {
		if (!hasTable(this.#sql, 'hours')) return undefined
		const [row] = this.#sql
			.exec<{ sums: string }>('select sums from hours where hour = ? and shard = ?', hour, shard)
			.toArray()
		return row && JSON.parse(row.sums)
	}

	#put(hour: number, shard: string, version: number, sums: Sums): void {
		this.#sql.exec(
			'create table if not exists hours (hour integer, shard text, version integer not null, sums text not null, primary key (hour, shard)) without rowid',
		)
		this.#sql.exec('create table if not exists days (day integer primary key, sums text not null)')
		this.#sql.exec(
			'insert into hours (hour, shard, version, sums) values (?, ?, ?, ?) on conflict (hour, shard) do update set version = excluded.version, sums = excluded.sums where excluded.version >= version',
			hour,
			shard,
			version,
			JSON.stringify(sums),
		)
	}
}

/** Adds sums whose curves fit the video as it is now. A video that was replaced has a new curve. */
export const addSame = (all: readonly (Sums | undefined)[], durationMs: number): Sums =>
	addAllSums(
		all.filter((sums) => sums !== undefined).map((sums) => sameBuckets(sums, durationMs)),
		durationMs,
	)

/** The sums of each session take kilobytes, so those of few are in memory at a time. */
const SESSIONS_AT_A_TIME = 64

/** Returns sums for each hour in which sessions began. */
export const sumsByHour = (sessions: Iterable<PlaybackSession>, durationMs: number): PeriodSums[] =>
	[...Map.groupBy(sessions, ({ startedAt }) => hourOf(startedAt))].map(([from, group]) => ({
		from,
		sums: addSessions(group, durationMs),
	}))

function addSessions(sessions: readonly PlaybackSession[], durationMs: number): Sums {
	const parts: Sums[] = []
	for (let at = 0; at < sessions.length; at += SESSIONS_AT_A_TIME) {
		const some = sessions.slice(at, at + SESSIONS_AT_A_TIME)
		parts.push(
			addSame(
				some.map((session) => sumsOf(session, durationMs)),
				durationMs,
			),
		)
	}
	return addSame(parts, durationMs)
}
