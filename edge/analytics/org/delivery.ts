import type { DeliveredMs } from '../../orgs/usage/delivered.ts'
import { DAY } from '../../platform/clock.ts'
import type { Heights, ServedCount } from '../delivery/served-counts.ts'
import { hasTable } from '../sessions/has-table.ts'

/** The qualities that count apart. Players report any height, which then counts as the next one of these. */
const RUNGS = [240, 360, 480, 720, 1080, 1440, 2160]

/** Returns the month in the format of `usage_counters`. */
export const monthOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7)

/** By then, an isolate says nothing more about a source. */
const SOURCE_LIFE_MS = 2 * DAY

/** The minutes delivered for an organization: a row for each month, way and height, and for each open source. */
export class DeliveryRows {
	readonly #sql: SqlStorage

	constructor(sql: SqlStorage) {
		this.#sql = sql
	}

	add(month: string, way: keyof DeliveredMs, heights: Heights): void {
		const added = Object.entries(heights)
		if (added.length === 0) return
		this.#sql.exec(
			'create table if not exists delivery (month text, way text, height text, ms integer not null, primary key (month, way, height)) without rowid',
		)
		for (const [height, ms] of added)
			this.#sql.exec(
				'insert into delivery values (?, ?, ?, ?) on conflict (month, way, height) do update set ms = ms + excluded.ms',
				month,
				way,
				rungOf(height),
				ms,
			)
	}

	/** Keeps what an isolate has served, unless a newer count of it has arrived. */
	noteServed({ source, month, version, heights }: ServedCount, now: number): void {
		this.#sql.exec(
			'create table if not exists served (source text primary key, month text not null, version integer not null, heights text not null, at integer not null) without rowid',
		)
		this.#sql.exec(
			'insert into served values (?, ?, ?, ?, ?) on conflict (source) do update set version = excluded.version, heights = excluded.heights, at = excluded.at where excluded.version > version',
			source,
			month,
			version,
			JSON.stringify(heights),
			now,
		)
	}

	/** Adds the counts of old sources to those of their month. */
	merge(now: number): void {
		const before = now - SOURCE_LIFE_MS
		for (const { month, heights } of this.#served('at < ?', before)) this.add(month, 'served', heights)
		if (hasTable(this.#sql, 'served')) this.#sql.exec('delete from served where at < ?', before)
	}

	/** Whether `merge` will have something to do. */
	hasSources(): boolean {
		return (
			hasTable(this.#sql, 'served') && this.#sql.exec('select 1 from served limit 1').toArray().length > 0
		)
	}

	read(month: string): DeliveredMs {
		const delivered: DeliveredMs = { public: {}, signed: {}, served: {} }
		const add = (way: keyof DeliveredMs, height: string, ms: number) => {
			delivered[way][height] = (delivered[way][height] ?? 0) + ms
		}
		for (const { way, height, ms } of this.#rows(month)) add(way, height, ms)
		for (const { heights } of this.#served('month = ?', month))
			for (const [height, ms] of Object.entries(heights)) add('served', rungOf(height), ms)
		return delivered
	}

	#rows(month: string): { way: keyof DeliveredMs; height: string; ms: number }[] {
		if (!hasTable(this.#sql, 'delivery')) return []
		return this.#sql
			.exec<{ way: keyof DeliveredMs; height: string; ms: number }>(
				'select way, height, ms from delivery where month = ?',
				month,
			)
			.toArray()
	}

	#served(where: 'at < ?' | 'month = ?', value: number | string): { month: string; heights: Heights }[] {
		if (!hasTable(this.#sql, 'served')) return []
		return this.#sql
			.exec<{ month: string; heights: string }>(`select month, heights from served where ${where}`, value)
			.toArray()
			.map((row) => ({ month: row.month, heights: JSON.parse(row.heights) }))
	}
}

/** Returns the height that names a quality; `other` for heights that are not known, and for sound alone. */
function rungOf(height: string): string {
	const rung = RUNGS.find((each) => Number(height) <= each) ?? RUNGS.at(-1)
	return Number.isNaN(Number(height)) ? 'other' : String(rung)
}
