import { DAY, startOfDay } from '../../../platform/clock.ts'
import { hasTable } from '../sessions/has-table.ts'

export type VideoCounts = { playbackId: string; starts: number; views: number; watchedMs: number }

/** Adds to an existing row. */
const ADDING =
	'on conflict (at, playback_id) do update set starts = starts + excluded.starts, views = views + excluded.views, watched_ms = watched_ms + excluded.watched_ms'

/** The first day of the month of a day. */
const MONTH = "unixepoch(at / 1000, 'unixepoch', 'start of month') * 1000"

/** How often each video of an organization was watched: one row for each video and hour, later for each day and month. */
export class VideoCountRows {
	readonly #sql: SqlStorage

	constructor(sql: SqlStorage) {
		this.#sql = sql
	}

	/** Adds counts to the row of an hour. */
	add(hour: number, { playbackId, starts, views, watchedMs }: VideoCounts): void {
		if (starts === 0 && watchedMs === 0) return
		for (const table of ['video_hours', 'video_days'])
			this.#sql.exec(
				`
					create table if not exists ${table} (
						at integer, playback_id text, starts integer not null, views integer not null,
						watched_ms integer not null, primary key (at, playback_id)
					) without rowid
				`,
			)
		this.#openTotals()
		this.#sql.exec(
			'insert into video_totals values (?, ?) on conflict (playback_id) do update set views = views + excluded.views',
			playbackId,
			views,
		)
		this.#sql.exec(
			`insert into video_hours values (?, ?, ?, ?, ?) ${ADDING}`,
			hour,
			playbackId,
			starts,
			views,
			watchedMs,
		)
	}

	/** Merges hours before an instant into days, and days before another instant into months. */
	merge(hoursBefore: number, daysBefore: number): void {
		if (!hasTable(this.#sql, 'video_hours')) return
		this.#addToDays(`select at / ${DAY} * ${DAY} as start, * from video_hours where at < ?`, hoursBefore)
		this.#sql.exec('delete from video_hours where at < ?', hoursBefore)
		this.#addToDays(`select ${MONTH} as start, * from video_days where at < ? and at > ${MONTH}`, daysBefore)
		this.#sql.exec(`delete from video_days where at < ? and at > ${MONTH}`, daysBefore)
	}

	#addToDays(rows: string, before: number): void {
		this.#sql.exec(
			`
				insert into video_days
				select start, playback_id, sum(starts), sum(views), sum(watched_ms) from (${rows})
				where true
				group by 1, 2 ${ADDING}
			`,
			before,
		)
	}

	/** Returns the most watched videos between two instants, rounded to whole days where hours are merged. */
	top(from: number, to: number, limit: number): VideoCounts[] {
		if (!hasTable(this.#sql, 'video_hours')) return []
		return this.#sql
			.exec<VideoCounts>(
				`
					select playback_id as playbackId, sum(starts) as starts, sum(views) as views,
						sum(watched_ms) as watchedMs
					from (
						select * from video_hours
						where at >= ? and at < ?
						union all
						select * from video_days
						where at >= ? and at < ?
					)
					group by playback_id order by views desc, watchedMs desc, playbackId limit ?
				`,
				from,
				to,
				startOfDay(from),
				to,
				limit,
			)
			.toArray()
	}

	/** Returns the views of all time of the videos that were watched. */
	views(playbackIds: readonly string[]): Record<string, number> {
		if (!hasTable(this.#sql, 'video_hours')) return {}
		this.#openTotals()
		const rows = this.#sql.exec<{ playbackId: string; views: number }>(
			`
				select playback_id as playbackId, views from json_each(?) as chosen
				cross join video_totals on playback_id = chosen.value
			`,
			JSON.stringify(playbackIds),
		)
		return Object.fromEntries(rows.toArray().map(({ playbackId, views }) => [playbackId, views]))
	}

	/** Creates the table of all time with the sums of the hours and days that were counted before it existed. */
	#openTotals(): void {
		if (hasTable(this.#sql, 'video_totals')) return
		this.#sql.exec(
			`
				create table video_totals (playback_id text primary key, views integer not null) without rowid;
				insert into video_totals
				select playback_id, sum(views) from (
					select playback_id, views from video_hours
					union all
					select playback_id, views from video_days
				)
				group by playback_id
			`,
		)
	}

	/**
	 * Deletes the rows of a video. Walks through the distinct times of a table (hundreds) and deletes by the primary key at
	 * each. An index of videos would cost a row with every row that is added.
	 */
	delete(playbackId: string): void {
		if (!hasTable(this.#sql, 'video_hours')) return
		if (hasTable(this.#sql, 'video_totals'))
			this.#sql.exec('delete from video_totals where playback_id = ?', playbackId)
		for (const table of ['video_hours', 'video_days'])
			this.#sql.exec(
				`
					with recursive times (at) as (
						select min(at) from ${table}
						union all
						select (select min(at) from ${table} where at > times.at) from times
						where times.at is not null
					)
					delete from ${table}
					where playback_id = ? and at in (select at from times)
				`,
				playbackId,
			)
	}
}
