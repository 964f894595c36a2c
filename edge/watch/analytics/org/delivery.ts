import { findCountedQuality } from '#schema/contract/video/quality.ts'
import type { Access, ByQuality, DeliveredMs } from '../../../accounts/orgs/usage/delivered.ts'
import { DAY } from '../../../platform/clock.ts'
import type { ServedCount } from '../delivery/served-counts.ts'
import { hasTable } from '../sessions/has-table.ts'
import { addAmounts, renameKeys } from '../sums/records.ts'

/** An isolate sends a source for at most SENDING_MS (served-counts.ts), so none arrives after it was merged. */
const SOURCE_LIFE_MS = 2 * DAY

/** Returns when a source whose last count arrived at an instant can be merged. */
const mergeableAt = (at: number): number => at + SOURCE_LIFE_MS + 1

/** The names of the counters in stored rows, which predate the types. */
const counters = {
	served: { public: 'served_public', signed: 'served' },
	reported: { public: 'public', signed: 'signed' },
} as const satisfies Record<keyof DeliveredMs, Record<Access, string>>
/** The tables of open sources are named after their counters. */
const sourceTables = Object.values(counters.served)
type SourceTable = (typeof sourceTables)[number]

/** The minutes delivered for an organization: a row for each month, counter and quality, and for each open source. */
export class DeliveryRows {
	readonly #sql: SqlStorage

	constructor(sql: SqlStorage) {
		this.#sql = sql
	}

	/** Adds what players reported, when their sessions are over. */
	addReported(month: string, access: Access, qualities: ByQuality): void {
		this.#add(month, counters.reported[access], qualities)
	}

	#add(month: string, counter: string, qualities: ByQuality): void {
		const added = Object.entries(byCountedQuality(qualities))
		if (added.length === 0) return
		this.#sql.exec(
			`
				create table if not exists delivery (
					month text, counter text, quality text, ms integer not null, primary key (month, counter, quality)
				) without rowid
			`,
		)
		for (const [quality, ms] of added)
			this.#sql.exec(
				`
					insert into delivery
					values (?, ?, ?, ?)
					on conflict (month, counter, quality)
					do update set ms = ms + excluded.ms
				`,
				month,
				counter,
				quality,
				ms,
			)
	}

	/** Stores the count of a source, unless a newer one was stored. Returns when the source can be merged. */
	noteServed({ source, month, access = 'signed', version, qualities }: ServedCount, now: number): number {
		const table = counters.served[access]
		this.#sql.exec(
			`
				create table if not exists ${table} (
					source text primary key, month text not null, version integer not null, qualities text not null,
					at integer not null
				) without rowid
			`,
		)
		this.#sql.exec(
			`
				insert into ${table}
				values (?, ?, ?, ?, ?)
				on conflict (source)
				do update set version = excluded.version, qualities = excluded.qualities, at = excluded.at
				where excluded.version > version
			`,
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
		for (const table of sourceTables) {
			for (const { month, qualities } of this.#sources(table, 'at < ?', before))
				this.#add(month, table, qualities)
			if (hasTable(this.#sql, table)) this.#sql.exec(`delete from ${table} where at < ?`, before)
		}
	}

	/** Returns when `merge` is next due, or null. */
	nextMergeAt(): number | null {
		const oldest = sourceTables.flatMap((table) =>
			hasTable(this.#sql, table)
				? (this.#sql.exec<{ at: number | null }>(`select min(at) as at from ${table}`).one().at ?? [])
				: [],
		)
		return oldest.length === 0 ? null : mergeableAt(Math.min(...oldest))
	}

	read(month: string): DeliveredMs {
		const rows = Map.groupBy(this.#rows(month), ({ counter }) => counter)
		const counted = (counter: string): ByQuality =>
			Object.fromEntries((rows.get(counter) ?? []).map(({ quality, ms }) => [quality, ms]))
		const served = (table: SourceTable): ByQuality =>
			this.#sources(table, 'month = ?', month).reduce(
				(total, { qualities }) => addAmounts(total, byCountedQuality(qualities)),
				counted(table),
			)
		return {
			served: { public: served(counters.served.public), signed: served(counters.served.signed) },
			reported: { public: counted(counters.reported.public), signed: counted(counters.reported.signed) },
		}
	}

	#rows(month: string): { counter: string; quality: string; ms: number }[] {
		if (!hasTable(this.#sql, 'delivery')) return []
		return this.#sql
			.exec<{ counter: string; quality: string; ms: number }>(
				'select counter, quality, ms from delivery where month = ?',
				month,
			)
			.toArray()
	}

	#sources(
		table: SourceTable,
		where: 'at < ?' | 'month = ?',
		value: number | string,
	): { month: string; qualities: ByQuality }[] {
		if (!hasTable(this.#sql, table)) return []
		return this.#sql
			.exec<{ month: string; qualities: string }>(
				`select month, qualities from ${table} where ${where}`,
				value,
			)
			.toArray()
			.map((row) => ({ month: row.month, qualities: JSON.parse(row.qualities) }))
	}
}

const byCountedQuality = (qualities: ByQuality): ByQuality =>
	renameKeys(qualities, (quality) => findCountedQuality(quality))
