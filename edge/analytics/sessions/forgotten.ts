import { MINUTE } from '../../platform/clock.ts'
import { hasTable } from './has-table.ts'

/** A row has at most 2 MB. */
const IDS_PER_ROW = 5_000

/**
 * The ids of sessions that were closed a short time ago. A report that comes late, or twice, must not open them again,
 * which would count them twice.
 */
export class Forgotten {
	readonly #sql: SqlStorage
	/** The ids by the minute in which they were closed. */
	readonly #minutes = new Map<number, Set<string>>()
	#added: { id: string; minute: number }[] = []

	constructor(sql: SqlStorage) {
		this.#sql = sql
		if (!hasTable(sql, 'forgotten')) return
		for (const row of sql.exec<{ minute: number; ids: string }>('select minute, ids from forgotten'))
			for (const id of JSON.parse(row.ids)) this.#place(id, row.minute)
	}

	has(id: string): boolean {
		for (const ids of this.#minutes.values()) if (ids.has(id)) return true
		return false
	}

	add(id: string, now: number): void {
		const minute = Math.floor(now / MINUTE)
		this.#place(id, minute)
		this.#added.push({ id, minute })
	}

	/** Drops the ids that were added before an instant. */
	prune(before: number): void {
		for (const minute of this.#minutes.keys()) {
			if ((minute + 1) * MINUTE > before) continue
			this.#minutes.delete(minute)
			if (hasTable(this.#sql, 'forgotten')) this.#sql.exec('delete from forgotten where minute = ?', minute)
		}
	}

	flush(): void {
		if (this.#added.length === 0) return
		this.#sql.exec('create table if not exists forgotten (minute integer not null, ids text not null)')
		for (const [minute, added] of Map.groupBy(this.#added, (each) => each.minute))
			for (let at = 0; at < added.length; at += IDS_PER_ROW) {
				const ids = added.slice(at, at + IDS_PER_ROW).map(({ id }) => id)
				this.#sql.exec('insert into forgotten (minute, ids) values (?, ?)', minute, JSON.stringify(ids))
			}
		this.#added = []
	}

	#place(id: string, minute: number): void {
		this.#minutes.set(minute, (this.#minutes.get(minute) ?? new Set()).add(id))
	}
}
