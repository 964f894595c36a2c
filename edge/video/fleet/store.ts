import { and, count, desc, eq, gte, isNotNull, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import { machines } from '#schema/tables/video/fleet.ts'
import { runAudited } from '../../platform/audit/audit.ts'
import type { Db } from '../../platform/database/database.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'

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
	 * Registers a machine, or returns undefined if it was evicted. One statement, so that concurrent registrations of one
	 * machine each raise the version.
	 */
	async register(
		work: UnitOfWork,
		{ id, fingerprint, name, capabilities, startHook, registeredWith, now }: Registration,
	): Promise<{ id: string; tokenVersion: number } | undefined> {
		const reported = {
			name,
			capabilities,
			startHook,
			registeredWith,
			lastSeenAt: now,
			state: 'online',
			running: 0,
			load: null,
		} as const
		const registration = db
			.insert(machines)
			.values({ id, fingerprint, ...reported, tokenVersion: 1, registeredAt: now })
			.onConflictDoUpdate({
				target: machines.fingerprint,
				set: { ...reported, tokenVersion: sql`${machines.tokenVersion} + 1` },
				setWhere: isNull(machines.evictedAt),
			})
			.returning({ id: machines.id, tokenVersion: machines.tokenVersion })
		const registeredId = sql`
			(select registered.id from machines as registered where registered.fingerprint = ${fingerprint})
		`
		const [row] = await runAudited(work, registration, {
			action: 'machine.registered',
			orgId: null,
			target: { kind: 'machine', id: registeredId },
		})
		return row
	},

	async hasToken(id: string, tokenVersion: number): Promise<boolean> {
		const rows = await db
			.select({ id: machines.id })
			.from(machines)
			.where(and(eq(machines.id, id), eq(machines.tokenVersion, tokenVersion)))
		return rows.length === 1
	},

	async recordHeartbeat({ id, tokenVersion, state, running, load, now }: Heartbeat): Promise<boolean> {
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
			.set({ ...signedOff, lastSeenAt: now })
			.where(eq(machines.id, id))
	},

	/** A repeated eviction keeps the time of the first. Returns a statement for a batch. */
	evict(id: string, now: number) {
		return db
			.update(machines)
			.set({ ...signedOff, evictedAt: sql`coalesce(${machines.evictedAt}, ${now})` })
			.where(eq(machines.id, id))
			.returning({ id: machines.id })
	},

	async readmit(work: UnitOfWork, id: string): Promise<boolean> {
		const rows = await runAudited(
			work,
			db.update(machines).set({ evictedAt: null }).where(eq(machines.id, id)).returning({ id: machines.id }),
			machineAuditEntry('readmitted', id),
		)
		return rows.length === 1
	},

	/** Signs off, once, each machine that registered with another token than these marks. Returns a statement for a batch. */
	signOffOutdated(marks: readonly string[]) {
		return db
			.update(machines)
			.set({ ...signedOff, registeredWith: SIGNED_OFF })
			.where(isOutdated(marks))
			.returning({ id: machines.id })
	},

	/** A repeated pause keeps the time of the first. */
	async pause(work: UnitOfWork, id: string): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.update(machines)
				.set({ pausedAt: sql`coalesce(${machines.pausedAt}, ${work.now})` })
				.where(eq(machines.id, id))
				.returning({ id: machines.id }),
			machineAuditEntry('paused', id),
		)
		return rows.length === 1
	},

	async setPrice(work: UnitOfWork, id: string, hourlyPriceMicros: number | null): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.update(machines)
				.set({ hourlyPriceMicros })
				.where(eq(machines.id, id))
				.returning({ id: machines.id }),
			machineAuditEntry('price_changed', id),
		)
		return rows.length === 1
	},

	/** Returns whether the machine was paused. */
	async resume(work: UnitOfWork, id: string): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.update(machines)
				.set({ pausedAt: null })
				.where(and(eq(machines.id, id), isNotNull(machines.pausedAt)))
				.returning({ id: machines.id }),
			machineAuditEntry('resumed', id),
		)
		return rows.length === 1
	},

	async find(id: string): Promise<MachineRow | undefined> {
		const [row] = await db.select().from(machines).where(eq(machines.id, id))
		return row
	},

	/** Lists machines, newest first; `after` is the last row of the previous page. */
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
				online: count(sql`case when ${isSeenSince(seenSince)} and ${machines.state} = 'online' then 1 end`),
				draining: count(
					sql`case when ${isSeenSince(seenSince)} and ${machines.state} = 'draining' then 1 end`,
				),
				outdated: count(sql`case when ${isOutdated(marks)} then 1 end`),
			})
			.from(machines)
		return row as { total: number; online: number; draining: number; outdated: number }
	},

	async prune(lastSeenBefore: number): Promise<number> {
		const rows = await db
			.delete(machines)
			// Evicted machines are kept, so that they stay evicted.
			.where(and(lt(machines.lastSeenAt, lastSeenBefore), isNull(machines.evictedAt)))
			.returning({ id: machines.id })
		return rows.length
	},
})

/** An entry of the audit log of the installation. */
export const machineAuditEntry = (
	change: 'paused' | 'resumed' | 'readmitted' | 'evicted' | 'price_changed',
	id: string,
) => ({
	action: `machine.${change}` as const,
	orgId: null,
	target: { kind: 'machine' as const, id },
})

/** The raised version revokes the machine's tokens. */
const signedOff = {
	state: 'offline',
	running: 0,
	load: null,
	tokenVersion: sql`${machines.tokenVersion} + 1`,
} as const

/** Replaces the mark of a machine that was signed off. */
export const SIGNED_OFF = ''

/** Stands for the token of machines that registered before marks were recorded. */
export const UNKNOWN = 'unknown'

const isOutdated = (marks: readonly string[]): SQL =>
	sql`coalesce(${machines.registeredWith}, ${UNKNOWN}) not in ${[...marks, SIGNED_OFF]}`

/** Selects the machine if it is evicted, for the statement that takes its tasks. */
export const selectEvictedIds = (id: string): SQL =>
	sql`select evicted.id from machines as evicted where evicted.id = ${id} and evicted.evicted_at is not null`
export const signedOffIds: SQL = sql`
	select signed_off.id from machines as signed_off where signed_off.registered_with = ${SIGNED_OFF}
`

const isSeenSince = (since: number) => gte(machines.lastSeenAt, since)
