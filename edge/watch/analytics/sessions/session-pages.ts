import { hasSessionKey, sortNewestFirst } from '../timelines/session-timeline.ts'
import { emptyTimeline, type Timeline } from '../timelines/timeline.ts'
import type { EventLog } from './event-state.ts'
import { hasTable } from './has-table.ts'
import type { OpenSession } from './open-session.ts'

/** The platform charges for rows and not for bytes, so many sessions share a row. */
const SESSIONS_PER_PAGE = 64
/** A row has at most 2 MB. */
const MAX_PAGE_CHARACTERS = 500_000
/** About 50 MB, which leaves the rest of the 128 MB of an object to its work. */
const MAX_WEIGHT = 6_000_000
/** The weight of a session besides its lists, as a count of numbers. */
const SESSION_WEIGHT = 120
const EVENT_WEIGHT = 20
const FOLDED_WEIGHT = 60
const SNAPSHOT_WEIGHT = 20

const weightOf = ({ state, events, timeline }: OpenSession): number =>
	SESSION_WEIGHT + state.played.length + timelineWeight(timeline) + (events ? eventsWeight(events) : 0)

const timelineWeight = ({ snapshots }: Timeline): number =>
	snapshots.reduce((weight, { shown }) => weight + SNAPSHOT_WEIGHT + shown.length, 0)

const eventsWeight = ({ recent, folded, served }: EventLog): number =>
	EVENT_WEIGHT * recent.length +
	served.numbers.length +
	(folded ? FOLDED_WEIGHT + folded.walked.played.length + timelineWeight(folded.timeline) : 0)

/** The open sessions of one object: in memory, and in the object's database as of the last flush. */
export class SessionPages {
	readonly #sql: SqlStorage
	readonly #maxWeight: number
	readonly #sessions = new Map<string, OpenSession>()
	readonly #pageOf = new Map<string, number>()
	readonly #pages = new Map<number, Set<string>>()
	readonly #changed = new Set<number>()
	/** The page for the next new session. */
	#newest = 0
	#weight = 0

	constructor(sql: SqlStorage, maxWeight = MAX_WEIGHT) {
		this.#sql = sql
		this.#maxWeight = maxWeight
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

	/** Returns sessions by their id, or by the report id of their page. */
	find(key: string): OpenSession[] {
		return sortNewestFirst([...this.all()].filter((session) => hasSessionKey(key, session)))
	}

	get(id: string): OpenSession | undefined {
		return this.#sessions.get(id)
	}

	/** Returns false if there is no room for it. The session then stays as it was. */
	set(session: OpenSession): boolean {
		const known = this.#sessions.get(session.id)
		const growth = weightOf(session) - (known ? weightOf(known) : 0)
		if (growth > 0 && this.#weight + growth > this.#maxWeight) return false
		const page = this.#pageOf.get(session.id) ?? this.#pageForNew()
		// A session parsed from a request takes 9 KB, its copy 1.2 KB (npm run bench -- analytics --only memory).
		this.#place(JSON.parse(JSON.stringify(session)), page)
		this.#changed.add(page)
		return true
	}

	/**
	 * If there is no room, drops the latest growth of a known session: first of its time line, which counts nothing, and
	 * then of its state. Returns false if the state could not be kept. The viewer is still there.
	 */
	setAsPossible(session: OpenSession): boolean {
		const known = this.#sessions.get(session.id)
		if (this.set(session)) return true
		if (this.set({ ...session, timeline: known?.timeline ?? emptyTimeline })) return true
		if (known) this.set({ ...session, state: known.state, events: known.events, timeline: known.timeline })
		return false
	}

	/** Returns the heaviest sessions, without which a tenth of the room would be free. */
	heaviest(): OpenSession[] {
		const excess = this.#weight - 0.9 * this.#maxWeight
		const found: OpenSession[] = []
		let weight = 0
		for (const session of [...this.all()].toSorted((a, b) => weightOf(b) - weightOf(a))) {
			if (weight >= excess) break
			found.push(session)
			weight += weightOf(session)
		}
		return found
	}

	delete(id: string): void {
		const page = this.#pageOf.get(id)
		const session = this.#sessions.get(id)
		if (page === undefined || !session) return
		this.#weight -= weightOf(session)
		this.#sessions.delete(id)
		this.#pageOf.delete(id)
		this.#pages.get(page)?.delete(id)
		this.#changed.add(page)
	}

	/** Writes the pages that changed, or only those of some sessions: one row for each. */
	flush(ids?: readonly string[]): void {
		const due = new Set(ids ? ids.flatMap((id) => this.#pageOf.get(id) ?? []) : this.#changed)
		if (due.size === 0) return
		this.#sql.exec('create table if not exists pages (id integer primary key, sessions text not null)')
		// Writing a page that has become too long adds another one, which may have been written already.
		for (const page of due) {
			due.delete(page)
			this.#changed.delete(page)
			this.#write(page, due)
		}
	}

	#write(page: number, due: Set<number>): void {
		const texts: string[] = []
		let characters = 0
		for (const id of this.#pages.get(page) ?? []) {
			const session = this.#sessions.get(id) as OpenSession
			const text = JSON.stringify(session)
			if (texts.length > 0 && characters + text.length > MAX_PAGE_CHARACTERS) {
				due.add(this.#move(session, page))
				continue
			}
			texts.push(text)
			characters += text.length
		}
		if (texts.length > 0) {
			this.#sql.exec(
				`
					insert into pages (id, sessions)
					values (?, ?)
					on conflict (id)
					do update set sessions = excluded.sessions
				`,
				page,
				`[${texts.join(',')}]`,
			)
			return
		}
		this.#sql.exec('delete from pages where id = ?', page)
		this.#pages.delete(page)
	}

	/** Returns the page to which the session was moved. */
	#move(session: OpenSession, from: number): number {
		this.#pages.get(from)?.delete(session.id)
		const page = from === this.#newest ? ++this.#newest : this.#pageForNew()
		this.#place(session, page)
		return page
	}

	#pageForNew(): number {
		if ((this.#pages.get(this.#newest)?.size ?? 0) >= SESSIONS_PER_PAGE) this.#newest++
		return this.#newest
	}

	#place(session: OpenSession, page: number): void {
		const known = this.#sessions.get(session.id)
		this.#weight += weightOf(session) - (known ? weightOf(known) : 0)
		this.#sessions.set(session.id, session)
		this.#pageOf.set(session.id, page)
		const ids = this.#pages.get(page) ?? new Set()
		this.#pages.set(page, ids.add(session.id))
	}
}
