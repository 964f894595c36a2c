import { and, count, desc, eq, gte, isNotNull, isNull, lt, min, or, type SQL, sql } from 'drizzle-orm'
import type { MachineCapabilities } from '#schema/contract/fleet.ts'
import { machines } from '#schema/tables/fleet.ts'
import { deadLetters, outbox } from '#schema/tables/platform.ts'
import type { Db } from '../platform/database.ts'

export type MachineRow = typeof machines.$inferSelect

type Registration = {
	id: string
	fingerprint: string
	name: string
	capabilities: MachineCapabilities
	startHook: string | null
	registeredWith: string
	now: number
}
type Heartbeat = {
	id: string
	tokenVersion: number
	state: 'online' | 'draining'
	running: number
	load: number
	now: number
}

export const machineStore = (db: Db) => ({
	/**
	 * One statement, so that two registrations of one machine at once both raise the version. undefined for a machine
	 * that was evicted.
	 */
	async register({
		id,
		fingerprint,
		name,
		capabilities,
		startHook,
		registeredWith,
		now,
	}: Registration): Promise<{ id: string; tokenVersion: number } | undefined> {
		const said = {
			name,
			capabilities,
			startHook,
			registeredWith,
			lastSeenAt: now,
			state: 'online',
			running: 0,
			load: null,
		} as const
		const [row] = await db
			.insert(machines)
			.values({ id, fingerprint, ...said, tokenVersion: 1, registeredAt: now })
			.onConflictDoUpdate({
				target: machines.fingerprint,
				set: { ...said, tokenVersion: sql`${machines.tokenVersion} + 1` },
				setWhere: isNull(machines.evictedAt),
			})
			.returning({ id: machines.id, tokenVersion: machines.tokenVersion })
		return row
	},

	async hasToken(id: string, tokenVersion: number): Promise<boolean> {
		const rows = await db
			.select({ id: machines.id })
			.from(machines)
			.where(and(eq(machines.id, id), eq(machines.tokenVersion, tokenVersion)))
		return rows.length === 1
	},

	async beat({ id, tokenVersion, state, running, load, now }: Heartbeat): Promise<boolean> {
		const rows = await db
			.update(machines)
			.set({ state, running, load, lastSeenAt: now })
			.where(and(eq(machines.id, id), eq(machines.tokenVersion, tokenVersion)))
			.returning({ id: machines.id })
		return rows.length === 1
	},

	async leave(id: string, now: number): Promise<void> {
		await db
			.update(machines)
			.set({ ...ended, lastSeenAt: now })
			.where(eq(machines.id, id))
	},

	/** Statement for a batch. Of one that is evicted already it stays when that was. */
	evict(id: string, now: number) {
		return db
			.update(machines)
			.set({ ...ended, evictedAt: sql`coalesce(${machines.evictedAt}, ${now})` })
			.where(eq(machines.id, id))
			.returning({ id: machines.id })
	},

	async readmit(id: string): Promise<boolean> {
		const rows = await db
			.update(machines)
			.set({ evictedAt: null })
			.where(eq(machines.id, id))
			.returning({ id: machines.id })
		return rows.length === 1
	},

	/** Statement for a batch: those that registered with another token than the one of these marks. Each is signed off once. */
	signOffOutdated(marks: readonly string[]) {
		return db
			.update(machines)
			.set({ ...ended, registeredWith: SIGNED_OFF })
			.where(isOutdated(marks))
			.returning({ id: machines.id })
	},

	/** Of one that is paused already it stays when that was. */
	async pause(id: string, now: number): Promise<boolean> {
		const rows = await db
			.update(machines)
			.set({ pausedAt: sql`coalesce(${machines.pausedAt}, ${now})` })
			.where(eq(machines.id, id))
			.returning({ id: machines.id })
		return rows.length === 1
	},

	/** Whether it was paused. */
	async resume(id: string): Promise<boolean> {
		const rows = await db
			.update(machines)
			.set({ pausedAt: null })
			.where(and(eq(machines.id, id), isNotNull(machines.pausedAt)))
			.returning({ id: machines.id })
		return rows.length === 1
	},

	async find(id: string): Promise<MachineRow | undefined> {
		const [row] = await db.select().from(machines).where(eq(machines.id, id))
		return row
	},

	/** Newest first; `after` is the last row of the page before. */
	async list(after: { registeredAt: number; id: string } | null, limit: number): Promise<MachineRow[]> {
		const older =
			after &&
			or(
				lt(machines.registeredAt, after.registeredAt),
				and(eq(machines.registeredAt, after.registeredAt), lt(machines.id, after.id)),
			)
		return db
			.select()
			.from(machines)
			.where(older ?? undefined)
			.orderBy(desc(machines.registeredAt), desc(machines.id))
			.limit(limit)
	},

	async countByState(seenSince: number, marks: readonly string[]) {
		const [row] = await db
			.select({
				total: count(),
				online: count(sql`case when ${seen(seenSince)} and ${machines.state} = 'online' then 1 end`),
				draining: count(sql`case when ${seen(seenSince)} and ${machines.state} = 'draining' then 1 end`),
				outdated: count(sql`case when ${isOutdated(marks)} then 1 end`),
			})
			.from(machines)
		return row as { total: number; online: number; draining: number; outdated: number }
	},

	async forget(lastSeenBefore: number): Promise<number> {
		const rows = await db
			.delete(machines)
			// An eviction lasts until somebody ends it.
			.where(and(lt(machines.lastSeenAt, lastSeenBefore), isNull(machines.evictedAt)))
			.returning({ id: machines.id })
		return rows.length
	},
})

/** Its tokens of before stop working. */
const ended = {
	state: 'offline',
	running: 0,
	load: null,
	tokenVersion: sql`${machines.tokenVersion} + 1`,
} as const

/** In the place of the token that a machine registered with. */
export const SIGNED_OFF = ''

/** Stands for a token that was not noted yet when a machine registered. */
export const UNKNOWN = 'unknown'

const isOutdated = (marks: readonly string[]): SQL =>
	sql`coalesce(${machines.registeredWith}, ${UNKNOWN}) not in ${[...marks, SIGNED_OFF]}`

/** Machines that were shut out and did not come back since, for the statement that takes their tasks. */
export const evictedIds = (id: string): SQL =>
	sql`select evicted.id from machines as evicted where evicted.id = ${id} and evicted.evicted_at is not null`
export const signedOffIds: SQL = sql`select gone.id from machines as gone where gone.registered_with = ${SIGNED_OFF}`

const seen = (since: number) => gte(machines.lastSeenAt, since)

export const queueStore = (db: Db) => ({
	async readState() {
		const [[dead], [waiting]] = await db.batch([
			db.select({ count: count() }).from(deadLetters),
			db
				.select({ count: count(), oldestAt: min(outbox.createdAt) })
				.from(outbox)
				.where(isNull(outbox.doneAt)),
		])
		return {
			deadLetters: dead?.count ?? 0,
			waiting: waiting?.count ?? 0,
			oldestWaitingAt: waiting?.oldestAt ?? null,
		}
	},
})
