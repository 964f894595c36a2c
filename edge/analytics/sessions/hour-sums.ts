import { DAY, HOUR } from '../../platform/clock.ts'
import { sameBuckets } from '../sums/same-buckets.ts'
import { sumsOf } from '../sums/session-sums.ts'
import { addAllSums, boundSums, type Sums } from '../sums/sums.ts'
import { hasTable } from './has-table.ts'
import type { PlaybackSession } from './session.ts'

/** The sums of an hour or a day (UTC). */
export type PeriodSums = { from: number; to: number; sums: Sums }

/** Hours are merged into days when nothing can be added to them any more. */
const MERGE_AFTER_MS = 2 * DAY
/** Days are deleted after this long. */
export const KEEP_MS = 400 * DAY

const hourOf = (instant: number): number => Math.floor(instant / HOUR) * HOUR
const dayOf = (instant: number): number => Math.floor(instant / DAY) * DAY

/** Hours before this instant are merged. */
export const mergedBefore = (now: number): number => dayOf(now - MERGE_AFTER_MS)

/**
 * What is added up for a video: one row for each hour and object, later one for each day. Each object has its own rows,
 * and the root has a copy of the rows of all. Such a copy is a whole, with a version, so it may come late or twice.
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

	/** Returns the sums of all objects, by hour, and by day where hours are merged. */
	between(from: number, to: number): PeriodSums[] {
		if (!hasTable(this.#sql, 'hours')) return []
		const days = this.#sql
			.exec<{ day: number; sums: string }>(
				'select day, sums from days where day >= ? and day < ?',
				dayOf(from),
				to,
			)
			.toArray()
			.map((row) => ({ from: row.day, to: row.day + DAY, sums: JSON.parse(row.sums) as Sums }))
		return [...days, ...this.#hoursBetween(from, to)]
	}

	/** Merges old hours into days, and deletes old days. */
	merge(now: number, durationMs: number): void {
		if (!hasTable(this.#sql, 'hours')) return
		const before = mergedBefore(now)
		const old = this.#hoursBetween(0, before)
		for (const [day, rows] of Map.groupBy(old, ({ from }) => dayOf(from))) {
			const [known] = this.#sql.exec<{ sums: string }>('select sums from days where day = ?', day).toArray()
			const all = [known && JSON.parse(known.sums), ...rows.map(({ sums }) => sums)]
			this.#sql.exec(
				'insert or replace into days (day, sums) values (?, ?)',
				day,
				JSON.stringify(boundSums(addSame(all, durationMs))),
			)
		}
		if (old.length > 0) this.#sql.exec('delete from hours where hour < ?', before)
		this.#sql.exec('delete from days where day < ?', now - KEEP_MS)
	}

	/** Returns when `merge` has something to do next; null if never. */
	nextMergeAt(): number | null {
		if (!hasTable(this.#sql, 'hours')) return null
		const [oldest] = this.#sql
			.exec<{ hour: number | null; day: number | null }>(
				'select (select min(hour) from hours) as hour, (select min(day) from days) as day',
			)
			.toArray()
		const mergeAt = oldest?.hour == null ? null : dayOf(oldest.hour) + DAY + MERGE_AFTER_MS
		return mergeAt ?? (oldest?.day == null ? null : oldest.day + KEEP_MS + 1)
	}

	#hoursBetween(from: number, to: number): PeriodSums[] {
		return this.#sql
			.exec<{ hour: number; sums: string }>(
				'select hour, sums from hours where hour >= ? and hour < ?',
				from,
				to,
			)
			.toArray()
			.map((row) => ({ from: row.hour, to: row.hour + HOUR, sums: JSON.parse(row.sums) as Sums }))
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
		to: from + HOUR,
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
