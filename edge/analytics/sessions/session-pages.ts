import { hasTable } from './has-table.ts'
import type { OpenSession } from './open-session.ts'

/** The platform charges for rows and not for bytes, so many sessions share a row. */
const SESSIONS_PER_PAGE = 64

/** The open sessions of one object: in memory, and in the object's database as of the last flush. */
export class SessionPages {
	readonly #sql: SqlStorage
	readonly #sessions = new Map<string, OpenSession>()
	readonly #pageOf = new Map<string, number>()
	readonly #pages = new Map<number, Set<string>>()
	readonly #changed = new Set<number>()
	/** The page for the next new session. */
	#newest = 0

	constructor(sql: SqlStorage) {
		this.#sql = sql
		if (!hasTable(sql, 'pages')) return
		for (const row of sql.exec<{ id: number; sessions: string }>('select id, sessions from pages')) {
			this.#newest = Math.max(this.#newest, row.id)
			for (const session of JSON.parse(row.sessions) as OpenSession[]) this.#place(session, row.id)
		}
	}

	get size(): number {
		return this.#sessions.size
	}

	all(): IterableIterator<OpenSession> {
		return this.#sessions.values()
	}

	get(id: string): OpenSession | undefined {
		return this.#sessions.get(id)
	}

	set(session: OpenSession): void {
		const known = this.#pageOf.get(session.id)
		if (known === undefined && (this.#pages.get(this.#newest)?.size ?? 0) >= SESSIONS_PER_PAGE) this.#newest++
		const page = known ?? this.#newest
		this.#place(session, page)
		this.#changed.add(page)
	}

	delete(id: string): void {
		const page = this.#pageOf.get(id)
		if (page === undefined) return
		this.#sessions.delete(id)
		this.#pageOf.delete(id)
		this.#pages.get(page)?.delete(id)
		this.#changed.add(page)
	}

	/** Writes the pages that changed: one row for each. */
	flush(): void {
		if (this.#changed.size === 0) return
		this.#sql.exec('create table if not exists pages (id integer primary key, sessions text not null)')
		for (const page of this.#changed) {
			const ids = this.#pages.get(page)
			if (!ids || ids.size === 0) {
				this.#sql.exec('delete from pages where id = ?', page)
				this.#pages.delete(page)
				continue
			}
			const sessions = [...ids].map((id) => this.#sessions.get(id))
			this.#sql.exec(
				'insert into pages (id, sessions) values (?, ?) on conflict (id) do update set sessions = excluded.sessions',
				page,
				JSON.stringify(sessions),
			)
		}
		this.#changed.clear()
	}

	#place(session: OpenSession, page: number): void {
		this.#sessions.set(session.id, session)
		this.#pageOf.set(session.id, page)
		const ids = this.#pages.get(page) ?? new Set()
		this.#pages.set(page, ids.add(session.id))
	}
}
