import { and, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import {
	accountDeletionLogs as logs,
	accountDeletionReminders as reminders,
	accountDeletionRequests as requests,
} from '#schema/tables/account-deletion.ts'
import { users } from '#schema/tables/identity.ts'
import { DAY } from '../platform/clock.ts'
import type { Db } from '../platform/database/database.ts'
import { insertSelect } from '../platform/database/insert-select.ts'
import { dueWindow, type ReminderKind } from './request/schedule.ts'

export type DeletionRequestRow = typeof requests.$inferSelect
type Action = (typeof logs.$inferSelect)['action']

/** IP addresses in logs are for questions that come up soon or never. */
const ADDRESSES_KEPT_MS = 90 * DAY

// Written out, since SQLite takes a partial index only for a condition that it can read.
const confirmed = sql`${requests.status} = 'confirmed'`
const open = sql`${requests.status} in ('pending', 'confirmed')`
const cancellable = and(confirmed, isNull(requests.executingAt))

/** An installation keeps its last superadmin. */
export const maySucceed = sql`exists (select 1 from ${users} as leaving where leaving.id = ${requests.userId} and (leaving.is_superadmin = 0 or exists (select 1 from ${users} as staying where staying.is_superadmin = 1 and staying.id <> leaving.id)))`

export const deletionStore = (db: Db) => ({
	/** Statement for a batch. Inserts nothing for someone who is gone, and throws where a request is open. */
	insertRequest(row: DeletionRequestRow) {
		return insertSelect(db, requests, row, sql`from ${users} where ${users.id} = ${row.userId}`).returning({
			id: requests.id,
		})
	},

	/** Statement for a batch, right behind the change that it tells of. */
	logIfChanged(requestId: string, action: Action, details: Record<string, unknown>, now: number) {
		return insertSelect(
			db,
			logs,
			{ deletionRequestId: requestId, action, details, createdAt: now },
			sql`where changes() > 0`,
		)
	},

	async find(id: string): Promise<DeletionRequestRow | undefined> {
		const [row] = await db.select().from(requests).where(eq(requests.id, id))
		return row
	},

	async findOpen(userId: number): Promise<DeletionRequestRow | undefined> {
		const [row] = await db
			.select()
			.from(requests)
			.where(and(eq(requests.userId, userId), open))
		return row
	},

	async findConfirmedByToken(hash: string): Promise<DeletionRequestRow | undefined> {
		const [row] = await db
			.select()
			.from(requests)
			.where(and(eq(requests.cancellationTokenHash, hash), cancellable))
		return row
	},

	async listLogsOfUser(userId: number) {
		return db
			.select()
			.from(logs)
			.where(
				inArray(
					logs.deletionRequestId,
					db.select({ id: requests.id }).from(requests).where(eq(requests.userId, userId)),
				),
			)
			.orderBy(logs.id)
	},

	async findUser(userId: number) {
		const [row] = await db
			.select({
				userId: users.id,
				email: users.email,
				name: sql<string>`coalesce(${users.signupName}, ${users.name})`.as('name'),
			})
			.from(users)
			.where(eq(users.id, userId))
		return row
	},

	async findUserByEmail(email: string) {
		const [row] = await db.select({ userId: users.id }).from(users).where(eq(users.email, email))
		return row
	},

	async isLastSuperadmin(userId: number): Promise<boolean> {
		const rows = await db.select({ id: users.id }).from(users).where(eq(users.isSuperadmin, true)).limit(2)
		return rows.length === 1 && rows[0]?.id === userId
	},

	/** Statement for a batch: one of cancelling and executing gets the request, never both. */
	cancel(id: string, userId: number, now: number) {
		return db
			.update(requests)
			.set({ status: 'cancelled', cancelledAt: now })
			.where(and(eq(requests.id, id), eq(requests.userId, userId), cancellable))
			.returning({ id: requests.id })
	},

	/** Statement for a batch: from now on it is due, whatever the grace period was. */
	expedite(id: string, now: number) {
		return db
			.update(requests)
			.set({ scheduledFor: now, dueAt: now })
			.where(and(eq(requests.id, id), confirmed))
			.returning({ id: requests.id })
	},

	/** Claims reminders that are due and not claimed by any run before; says whose they are. */
	async claimReminders(kind: ReminderKind, now: number, limit: number): Promise<string[]> {
		const { from, until } = dueWindow(kind, now)
		const claimed = await insertSelect(
			db,
			reminders,
			{ deletionRequestId: sql`${requests.id}`, kind, claimedAt: now },
			sql`from ${requests} where ${cancellable} and ${isNotNull(requests.tokenNonce)} and ${requests.scheduledFor} >= ${from} and ${requests.scheduledFor} < ${until} and not exists (select 1 from ${reminders} where ${reminders.deletionRequestId} = ${requests.id} and ${reminders.kind} = ${kind}) order by ${requests.scheduledFor} limit ${limit}`,
		)
			.onConflictDoNothing()
			.returning({ id: reminders.deletionRequestId })
		return claimed.map(({ id }) => id)
	},

	/** Reminders whose message was lost: claimed, never sent. */
	async reclaimReminders(now: number, claimedBefore: number, limit: number) {
		const lost = db
			.select({ rowid: sql`rowid` })
			.from(reminders)
			.where(and(isNull(reminders.sentAt), lte(reminders.claimedAt, claimedBefore)))
			.orderBy(reminders.claimedAt)
			.limit(limit)
		return db
			.update(reminders)
			.set({ claimedAt: now })
			.where(sql`rowid in ${lost}`)
			.returning({ requestId: reminders.deletionRequestId, kind: reminders.kind })
	},

	/** What a reminder needs to know; nothing once it was sent, or the account is to stay. */
	async findReminder(requestId: string, kind: ReminderKind) {
		const [row] = await db
			.select({ request: requests, email: users.email })
			.from(reminders)
			.innerJoin(requests, eq(requests.id, reminders.deletionRequestId))
			.innerJoin(users, eq(users.id, requests.userId))
			.where(
				and(
					eq(reminders.deletionRequestId, requestId),
					eq(reminders.kind, kind),
					isNull(reminders.sentAt),
					cancellable,
				),
			)
		return row
	},

	/** Statement for a batch. */
	markReminded(requestId: string, kind: ReminderKind, now: number) {
		return db
			.update(reminders)
			.set({ sentAt: now })
			.where(
				and(eq(reminders.deletionRequestId, requestId), eq(reminders.kind, kind), isNull(reminders.sentAt)),
			)
	},

	/** Requests whose time has come, for whoever gets them first; again when their lease is over. */
	async claimDue(now: number, leaseMs: number, limit: number): Promise<string[]> {
		const due = db
			.select({ id: requests.id })
			.from(requests)
			.where(and(confirmed, lte(requests.dueAt, now)))
			.orderBy(requests.dueAt)
			.limit(limit)
		const taken = await db
			.update(requests)
			.set({ dueAt: now + leaseMs })
			.where(inArray(requests.id, due))
			.returning({ id: requests.id })
		return taken.map(({ id }) => id)
	},

	/** The point of no return; may be passed again by a run that goes on where another one died. */
	async begin(id: string, now: number): Promise<(DeletionRequestRow & { userId: number }) | undefined> {
		const [row] = await db
			.update(requests)
			.set({ executingAt: sql`coalesce(${requests.executingAt}, ${now})` })
			.where(and(eq(requests.id, id), confirmed, maySucceed))
			.returning()
		return row && row.userId !== null ? { ...row, userId: row.userId } : undefined
	},

	/** Takes `begin` back where the final batch was refused. */
	async stepBack(id: string): Promise<void> {
		await db
			.update(requests)
			.set({ executingAt: null })
			.where(and(eq(requests.id, id), confirmed))
	},

	async forgetAddresses(now: number): Promise<void> {
		await db
			.update(logs)
			.set({ details: sql`json_remove(${logs.details}, '$.ip_address')` })
			.where(
				and(
					lte(logs.createdAt, now - ADDRESSES_KEPT_MS),
					sql`json_type(${logs.details}, '$.ip_address') is not null`,
				),
			)
	},
})
