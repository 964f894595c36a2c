import { MINUTE } from '../../../platform/clock.ts'
import { hasTable } from './has-table.ts'

/** A row holds at most 2 MB. */
const IDS_PER_ROW = 5_000
/** About 20 MB. Beyond this, a report that is minutes late can count its session twice. */
const MAX_IDS = 250_000

/**
 * Ids of recently closed sessions. A late or duplicate report must not reopen them, which would count them twice. The oldest
 * ids beyond the limit are dropped.
 */
export class ClosedSessionIds {
	readonly #sql: SqlStorage
	readonly #maxIds: number
	/** Ids by the minute in which they were closed, oldest first. */
	readonly #minutes = new Map<number, Set<string>>()
	#added: { id: string; minute: number }[] = []

	constructor(sql: SqlStorage, maxIds = MAX_IDS) {
		this.#sql = sql
		this.#maxIds = maxIds
		if (!hasTable(sql, 'closed_session_ids')) return
		for (const row of sql.exec<{ minute: number; ids: string }>(
			'select minute, ids from closed_session_ids order by minute',
		))
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

	/** Drops the ids added before an instant, and the oldest beyond the limit. */
	prune(before: number): void {
		let size = [...this.#minutes.values()].reduce((sum, ids) => sum + ids.size, 0)
		for (const [minute, ids] of this.#minutes) {
			if ((minute + 1) * MINUTE > before && size <= this.#maxIds) continue
			size -= ids.size
			this.#minutes.delete(minute)
			this.#added = this.#added.filter((each) => each.minute !== minute)
			if (hasTable(this.#sql, 'closed_session_ids'))
				this.#sql.exec('delete from closed_session_ids where minute = ?', minute)
		}
	}

	flush(): void {
		if (this.#added.length === 0) return
		this.#sql.exec(
			'create table if not exists closed_session_ids (minute integer not null, ids text not null)',
		)
		for (const [minute, added] of Map.groupBy(this.#added, (each) => each.minute))
			for (let at = 0; at < added.length; at += IDS_PER_ROW) {
				const ids = added.slice(at, at + IDS_PER_ROW).map(({ id }) => id)
				this.#sql.exec(
					'insert into closed_session_ids (minute, ids) values (?, ?)',
					minute,
					JSON.stringify(ids),
				)
			}
		this.#added = []
	}

	#place(id: string, minute: number): void {
		this.#minutes.set(minute, (this.#minutes.get(minute) ?? new Set()).add(id))
	}
}
