import { MINUTE } from '../../platform/clock.ts'
import { hasTable } from './has-table.ts'

/**
 * The ids of sessions that were closed a short time ago. A report that comes late, or twice, must not open them again,
 * which would count them twice. One row holds the ids of one minute.
 */
export class Forgotten {
	readonly #sql: SqlStorage
	readonly #minutes = new Map<number, Set<string>>()
	readonly #changed = new Set<number>()

	constructor(sql: SqlStorage) {
		this.#sql = sql
		if (!hasTable(sql, 'forgotten')) return
		for (const row of sql.exec<{ minute: number; ids: string }>('select minute, ids from forgotten'))
			this.#minutes.set(row.minute, new Set(JSON.parse(row.ids)))
	}

	has(id: string): boolean {
		for (const ids of this.#minutes.values()) if (ids.has(id)) return true
		return false
	}

	add(id: string, now: number): void {
		const minute = Math.floor(now / MINUTE)
		this.#minutes.set(minute, (this.#minutes.get(minute) ?? new Set()).add(id))
		this.#changed.add(minute)
	}

	/** Drops the ids that were added before this instant. */
	prune(before: number): void {
		for (const minute of this.#minutes.keys())
			if ((minute + 1) * MINUTE <= before) {
				this.#minutes.delete(minute)
				this.#changed.add(minute)
			}
	}

	flush(): void {
		if (this.#changed.size === 0) return
		this.#sql.exec('create table if not exists forgotten (minute integer primary key, ids text not null)')
		for (const minute of this.#changed) {
			const ids = this.#minutes.get(minute)
			if (ids)
				this.#sql.exec(
					'insert into forgotten (minute, ids) values (?, ?) on conflict (minute) do update set ids = excluded.ids',
					minute,
					JSON.stringify([...ids]),
				)
			else this.#sql.exec('delete from forgotten where minute = ?', minute)
		}
		this.#changed.clear()
	}
}
