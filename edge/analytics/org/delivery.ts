import type { ByQuality, DeliveredMs } from '../../orgs/usage/delivered.ts'
import { DAY } from '../../platform/clock.ts'
import type { ServedCount } from '../delivery/served-counts.ts'
import { hasTable } from '../sessions/has-table.ts'
import { addAmounts, renameKeys } from '../sums/records.ts'

/** The qualities that are counted. Any other height counts as the next higher one, and a greater one as the last. */
const RUNGS = [240, 360, 480, 720, 1080, 1440, 2160]

/** An isolate sends a source for at most SENDING_MS (served-counts.ts), so none arrives after it was merged. */
const SOURCE_LIFE_MS = 2 * DAY

/** Returns when a source whose last count arrived at an instant can be merged. */
const mergeableAt = (at: number): number => at + SOURCE_LIFE_MS + 1

type Counter = keyof DeliveredMs

/** The minutes delivered for an organization: a row for each month, counter and quality, and for each open source. */
export class DeliveryRows {
	readonly #sql: SqlStorage

	constructor(sql: SqlStorage) {
		this.#sql = sql
	}

	add(month: string, counter: Counter, qualities: ByQuality): void {
		const added = Object.entries(byRung(qualities))
		if (added.length === 0) return
		this.#sql.exec(
			'create table if not exists delivery (month text, counter text, quality text, ms integer not null, primary key (month, counter, quality)) without rowid',
		)
		for (const [quality, ms] of added)
			this.#sql.exec(
				'insert into delivery values (?, ?, ?, ?) on conflict (month, counter, quality) do update set ms = ms + excluded.ms',
				month,
				counter,
				quality,
				ms,
			)
	}

	/** Stores the count of a source, unless a newer one has arrived. Returns when the source can be merged. */
	noteServed({ source, month, version, qualities }: ServedCount, now: number): number {
		this.#sql.exec(
			'create table if not exists served (source text primary key, month text not null, version integer not null, qualities text not null, at integer not null) without rowid',
		)
		this.#sql.exec(
			'insert into served values (?, ?, ?, ?, ?) on conflict (source) do update set version = excluded.version, qualities = excluded.qualities, at = excluded.at where excluded.version > version',
			source,
			month,
			version,
			JSON.stringify(qualities),
			now,
		)
		return mergeableAt(now)
	}

	/** Adds the counts of old sources to those of their month. */
	merge(now: number): void {
		const before = now - SOURCE_LIFE_MS
		for (const { month, qualities } of this.#served('at < ?', before)) this.add(month, 'served', qualities)
		if (hasTable(this.#sql, 'served')) this.#sql.exec('delete from served where at < ?', before)
	}

	/** Returns when `merge` has something to do next; null if never. */
	nextMergeAt(): number | null {
		if (!hasTable(this.#sql, 'served')) return null
		const { at } = this.#sql.exec<{ at: number | null }>('select min(at) as at from served').one()
		return at === null ? null : mergeableAt(at)
	}

	read(month: string): DeliveredMs {
		const delivered: DeliveredMs = { public: {}, signed: {}, served: {} }
		for (const { counter, quality, ms } of this.#rows(month)) delivered[counter][quality] = ms
		for (const { qualities } of this.#served('month = ?', month))
			delivered.served = addAmounts(delivered.served, byRung(qualities))
		return delivered
	}

	#rows(month: string): { counter: Counter; quality: string; ms: number }[] {
		if (!hasTable(this.#sql, 'delivery')) return []
		return this.#sql
			.exec<{ counter: Counter; quality: string; ms: number }>(
				'select counter, quality, ms from delivery where month = ?',
				month,
			)
			.toArray()
	}

	#served(where: 'at < ?' | 'month = ?', value: number | string): { month: string; qualities: ByQuality }[] {
		if (!hasTable(this.#sql, 'served')) return []
		return this.#sql
			.exec<{ month: string; qualities: string }>(`select month, qualities from served where ${where}`, value)
			.toArray()
			.map((row) => ({ month: row.month, qualities: JSON.parse(row.qualities) }))
	}
}

const byRung = (qualities: ByQuality): ByQuality => renameKeys(qualities, rungOf)

/** Returns the counted quality for a reported one; `other` if the report has no height. */
function rungOf(quality: string): string {
	const height = Number.parseInt(quality, 10)
	return Number.isNaN(height) ? 'other' : `${RUNGS.find((each) => height <= each) ?? RUNGS.at(-1)}p`
}
