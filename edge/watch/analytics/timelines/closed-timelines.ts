import { HOUR } from '../../../platform/clock.ts'
import { hasTable } from '../sessions/has-table.ts'
import type { OpenSession } from '../sessions/open-session.ts'
import {
	buildSessionTimeline,
	hasSessionKey,
	type SessionTimeline,
	sortNewestFirst,
} from './session-timeline.ts'

const KEEP_MS = 48 * HOUR
/** A row has at most 2 MB. */
const MAX_ROW_CHARACTERS = 500_000
/** A search reads all of them. */
const MAX_CHARACTERS = 250_000_000
const MAX_ROWS_FOUND = 20

type Row = { id: number; closedAt: number; characters: number }

/**
 * The time lines of the sessions that were closed in the last 48 hours. The platform charges for rows and not for bytes,
 * so all sessions that are closed together share a row.
 */
export class ClosedTimelines {
	readonly #sql: SqlStorage
	readonly #maxCharacters: number
	/** The stored rows, oldest first. */
	readonly #rows: Row[] = []
	#characters = 0

	constructor(sql: SqlStorage, maxCharacters = MAX_CHARACTERS) {
		this.#sql = sql
		this.#maxCharacters = maxCharacters
		if (!hasTable(sql, 'timelines')) return
		for (const row of sql.exec<Row>(
			'select id, closed_at as closedAt, characters from timelines order by id',
		)) {
			this.#rows.push(row)
			this.#characters += row.characters
		}
	}

	/** Keeps the time lines of sessions that are over. Must run in the transaction that removes the sessions. */
	close(over: readonly OpenSession[], durationMs: number, now: number): void {
		let texts: string[] = []
		let characters = 0
		for (const session of over) {
			const text = JSON.stringify(buildSessionTimeline(session, durationMs, false))
			if (texts.length > 0 && characters + text.length > MAX_ROW_CHARACTERS) {
				this.#insert(texts, now)
				texts = []
				characters = 0
			}
			texts.push(text)
			characters += text.length
		}
		if (texts.length > 0) this.#insert(texts, now)
		this.#prune(now)
	}

	/** Deletes time lines older than 48 hours, and the oldest beyond the size limit. */
	#prune(now: number): void {
		const isDue = ({ closedAt }: Row) => closedAt <= now - KEEP_MS || this.#characters > this.#maxCharacters
		let last: Row | undefined
		for (let row = this.#rows[0]; row && isDue(row); row = this.#rows[0]) {
			this.#rows.shift()
			this.#characters -= row.characters
			last = row
		}
		if (last) this.#sql.exec('delete from timelines where id <= ?', last.id)
	}

	/** Returns when `#prune` is next due, in whole hours, because each alarm costs a row; null if never. */
	nextPruneAt(): number | null {
		const [oldest] = this.#rows
		return oldest ? Math.ceil((oldest.closedAt + KEEP_MS) / HOUR) * HOUR : null
	}

	/** Returns sessions by their id, or by the report id of their page. */
	find(key: string, now: number): SessionTimeline[] {
		if (this.#rows.length === 0) return []
		const found = this.#sql
			.exec<{ sessions: string }>(
				`
					select sessions from timelines
					where closed_at > ? and (instr(sessions, ?) or instr(sessions, ?))
					order by id desc limit ?
				`,
				now - KEEP_MS,
				`"id":${JSON.stringify(key)}`,
				`"reportId":${JSON.stringify(key)}`,
				MAX_ROWS_FOUND,
			)
			.toArray()
			.flatMap(({ sessions }) => JSON.parse(sessions) as SessionTimeline[])
			.filter((each) => hasSessionKey(key, each))
		return sortNewestFirst(found)
	}

	#insert(texts: readonly string[], now: number): void {
		const text = `[${texts.join(',')}]`
		const row = { id: (this.#rows.at(-1)?.id ?? 0) + 1, closedAt: now, characters: text.length }
		this.#sql.exec(
			`create table if not exists timelines (
				id integer primary key, closed_at integer not null, characters integer not null,
				sessions text not null
			)`,
		)
		this.#sql.exec(
			'insert into timelines (id, closed_at, characters, sessions) values (?, ?, ?, ?)',
			row.id,
			now,
			row.characters,
			text,
		)
		this.#rows.push(row)
		this.#characters += row.characters
	}
}
