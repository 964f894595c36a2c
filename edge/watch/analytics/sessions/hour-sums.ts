import { DAY, startOfDay, startOfHour, startOfMonth, startOfNextMonth } from '../../../platform/clock.ts'
import { fitBuckets } from '../sums/same-buckets.ts'
import { sumSession } from '../sums/session-sums.ts'
import { addAllSums, boundSums, noneExcluded, type Sums } from '../sums/sums.ts'
import { hasTable } from './has-table.ts'
import type { PlaybackSession } from './session.ts'

/** The sums of an hour, a day or a month (UTC), which begins at `from`. */
export type PeriodSums = { from: number; sums: Sums }

/** Hours are merged into days when nothing can be added to them any more, and days into months much later. */
const MERGE_HOURS_AFTER_MS = 2 * DAY
const MERGE_DAYS_AFTER_MS = 400 * DAY

/** Hours before this instant are merged. */
export const computeHourMergeLimit = (now: number): number => startOfDay(now - MERGE_HOURS_AFTER_MS)
/** Days before this instant are merged. */
export const computeDayMergeLimit = (now: number): number => startOfMonth(now - MERGE_DAYS_AFTER_MS)

/**
 * The sums of a video: one row for each hour and object, later one for each day, and then for each month. Each object
 * has its own rows, and the root has copies of the rows of all objects. A copy is complete and has a version, so it may
 * arrive late or twice.
 */
export class HourSums {
	readonly #sql: SqlStorage
	/** Caches the totals of hours with rows of many objects, because dashboards read them repeatedly. */
	readonly #added = new Map<number, { durationMs: number; sums: Sums }>()

	constructor(sql: SqlStorage) {
		this.#sql = sql
	}

	/** Adds closed sessions to the rows of an object's own hours. */
	addOwn(added: readonly { startedAt: number; sums: Sums }[], durationMs: number): void {
		const byHour = Map.groupBy(added, ({ startedAt }) => startOfHour(startedAt))
		for (const [hour, group] of byHour) {
			const all = [this.#get(hour, ''), ...group.map(({ sums }) => sums)]
			this.#put(hour, '', 0, boundSums(addSumsOfDuration(all, durationMs)))
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
				startOfHour(since),
			)
			.toArray()
			.map(({ hour, sums }) => ({ hour, sums: JSON.parse(sums) }))
	}

	/** Returns the sums of all objects, by hour, and by day or month where these are merged. */
	between(from: number, to: number, durationMs: number): PeriodSums[] {
		if (!hasTable(this.#sql, 'hours')) return []
		const hours = this.#hoursBetween(from, to).map((hour) => ({
			from: hour,
			sums: this.#addObjects(hour, durationMs),
		}))
		return [...this.#daysBetween(from, to), ...hours]
	}

	/** Merges old hours into days, and old days into months. */
	merge(now: number, durationMs: number): void {
		if (!hasTable(this.#sql, 'hours')) return
		const before = computeHourMergeLimit(now)
		const oldHours = this.#hoursBetween(0, before)
		for (const [day, hours] of Map.groupBy(oldHours, startOfDay)) {
			const ofDay = hours.map((hour) => this.#addObjects(hour, durationMs))
			this.#addToDay(day, ofDay, durationMs)
		}
		if (oldHours.length > 0) this.#sql.exec('delete from hours where hour < ?', before)
		for (const hour of oldHours) this.#added.delete(hour)
		// The first day of a month becomes the row of the month.
		const oldDays = this.#daysBetween(0, computeDayMergeLimit(now)).filter(
			({ from }) => from > startOfMonth(from),
		)
		for (const [month, days] of Map.groupBy(oldDays, ({ from }) => startOfMonth(from))) {
			const ofMonth = days.map(({ sums }) => sums)
			this.#addToDay(month, ofMonth, durationMs)
		}
		for (const { from } of oldDays) this.#sql.exec('delete from days where day = ?', from)
	}

	#addToDay(day: number, added: readonly Sums[], durationMs: number): void {
		const [known] = this.#daysBetween(day, day + 1)
		this.#sql.exec(
			'insert or replace into days (day, sums) values (?, ?)',
			day,
			JSON.stringify(boundSums(addSumsOfDuration([known?.sums, ...added], durationMs))),
		)
	}

	/** Returns when `merge` has something to do next; null if never. */
	nextMergeAt(): number | null {
		if (!hasTable(this.#sql, 'hours')) return null
		const { hour } = this.#sql.exec<{ hour: number | null }>('select min(hour) as hour from hours').one()
		if (hour !== null) return startOfDay(hour) + DAY + MERGE_HOURS_AFTER_MS
		// Skips the first day of a month, whose row holds the sums of the month and stays.
		const [oldest] = this.#sql
			.exec<{ day: number }>(
				"select day from days where strftime('%d', day / 1000, 'unixepoch') > '01' order by day limit 1",
			)
			.toArray()
		return oldest ? startOfNextMonth(oldest.day) + MERGE_DAYS_AFTER_MS : null
	}

	#daysBetween(from: number, to: number): PeriodSums[] {
		return this.#sql
			.exec<{ day: number; sums: string }>(
				'select day, sums from days where day >= ? and day < ?',
				startOfDay(from),
				to,
			)
			.toArray()
			.map((row) => ({ from: row.day, sums: JSON.parse(row.sums) }))
	}

	#hoursBetween(from: number, to: number): number[] {
		return this.#sql
			.exec<{ hour: number }>(
				'select distinct hour from hours where hour >= ? and hour < ? order by hour',
				from,
				to,
			)
			.toArray()
			.map(({ hour }) => hour)
	}

	/** Adds up the rows of all objects. A video that a million people watched has hundreds, of some kilobytes each. */
	#addObjects(hour: number, durationMs: number): Sums {
		const known = this.#added.get(hour)
		if (known?.durationMs === durationMs) return known.sums
		let count = 0
		const rows = this.#sql.exec<{ sums: string }>('select sums from hours where hour = ?', hour)
		const stored = function* () {
			for (const row of rows) {
				count++
				yield JSON.parse(row.sums) as Sums
			}
		}
		const sums = boundSums(addFewAtATime(stored(), durationMs))
		if (count > 1) this.#added.set(hour, { durationMs, sums })
		return sums
	}

	#get(hour: number, shard: string): Sums | undefined {
		if (!hasTable(this.#sql, 'hours')) return undefined
		const [row] = this.#sql
			.exec<{ sums: string }>('select sums from hours where hour = ? and shard = ?', hour, shard)
			.toArray()
		return row && JSON.parse(row.sums)
	}

	#put(hour: number, shard: string, version: number, sums: Sums): void {
		this.#added.delete(hour)
		this.#sql.exec(
			`
				create table if not exists hours (
					hour integer, shard text, version integer not null, sums text not null, primary key (hour, shard)
				) without rowid
			`,
		)
		this.#sql.exec('create table if not exists days (day integer primary key, sums text not null)')
		this.#sql.exec(
			`
				insert into hours (hour, shard, version, sums)
				values (?, ?, ?, ?)
				on conflict (hour, shard)
				do update set version = excluded.version, sums = excluded.sums
				where excluded.version >= version
			`,
			hour,
			shard,
			version,
			JSON.stringify(sums),
		)
	}
}

/** Adds sums whose curves fit the video as it is now. A video that was replaced has a new curve. */
export const addSumsOfDuration = (all: readonly (Sums | undefined)[], durationMs: number): Sums =>
	addAllSums(
		all.filter((sums) => sums !== undefined).map((sums) => fitBuckets(withCrowd(sums), durationMs)),
		durationMs,
	)

/** Sums that an earlier release stored have no crowd. */
const withCrowd = (sums: Sums): Sums => ({ ...sums, excluded: { ...noneExcluded, ...sums.excluded } })

/** Returns sums for each hour in which sessions began. */
export const groupSumsByHour = (sessions: Iterable<PlaybackSession>, durationMs: number): PeriodSums[] =>
	[...Map.groupBy(sessions, ({ startedAt }) => startOfHour(startedAt))].map(([from, group]) => ({
		from,
		sums: addFewAtATime(eachSumsOf(group, durationMs), durationMs),
	}))

function* eachSumsOf(sessions: readonly PlaybackSession[], durationMs: number) {
	for (const session of sessions) yield sumSession(session, durationMs)
}

const AT_A_TIME = 64

/** Adds sums that are made or read while they are added: each takes kilobytes, so only few are in memory. */
function addFewAtATime(all: Iterable<Sums>, durationMs: number): Sums {
	const parts: Sums[] = []
	let few: Sums[] = []
	for (const sums of all) {
		few.push(sums)
		if (few.length < AT_A_TIME) continue
		parts.push(addSumsOfDuration(few, durationMs))
		few = []
	}
	return addSumsOfDuration([...parts, ...few], durationMs)
}
