import type { DeliveredMs } from '../../orgs/usage/delivered.ts'
import { hasTable } from '../sessions/has-table.ts'

/** The qualities that count apart. Players report any height, which then counts as the next one of these. */
const RUNGS = [240, 360, 480, 720, 1080, 1440, 2160]

/** Returns the month in the format of `usage_counters`. */
export const monthOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7)

/** The minutes delivered for an organization: a row for each month, way and height. */
export class DeliveryRows {
	readonly #sql: SqlStorage

	constructor(sql: SqlStorage) {
		this.#sql = sql
	}

	add(month: string, way: keyof DeliveredMs, heights: Record<string, number>): void {
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

	read(month: string): DeliveredMs {
		const delivered: DeliveredMs = { public: {}, signed: {}, served: {} }
		if (!hasTable(this.#sql, 'delivery')) return delivered
		const rows = this.#sql.exec<{ way: keyof DeliveredMs; height: string; ms: number }>(
			'select way, height, ms from delivery where month = ?',
			month,
		)
		for (const { way, height, ms } of rows) delivered[way][height] = ms
		return delivered
	}
}

/** Returns the height that names a quality; `other` for heights that are not known, and for sound alone. */
function rungOf(height: string): string {
	const rung = RUNGS.find((each) => Number(height) <= each) ?? RUNGS.at(-1)
	return Number.isNaN(Number(height)) ? 'other' : String(rung)
}
