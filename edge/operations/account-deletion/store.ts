import { and, eq, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { users } from '#schema/tables/accounts/identity.ts'
import {
	accountDeletionLogs as logs,
	accountDeletionReminders as reminders,
	accountDeletionRequests as requests,
} from '#schema/tables/operations/account-deletion.ts'
import { accountEmail } from '../../accounts/account-columns.ts'
import { DAY } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { MESSAGE_LEASE_MS, sweepRows } from '../../platform/work/sweep.ts'
import { computeDueWindow, type ReminderKind } from './request/schedule.ts'

export type DeletionRequestRow = typeof requests.$inferSelect
type Action = (typeof logs.$inferSelect)['action']

/** How long logs keep IP addresses: long enough to answer questions about a request. */
const IP_RETENTION_MS = 90 * DAY

// These conditions have no bound parameters, because SQLite then could not use the partial indexes.
const confirmed = sql`${requests.status} = 'confirmed'`
const open = sql`${requests.status} in ('pending', 'confirmed')`
const cancellable = and(confirmed, isNull(requests.executingAt))

/** Holds unless the person is the last superadmin, whom an installation must keep. */
export const keepsSuperadmin = sql`exists (
	select 1 from ${users} as leaving
	where leaving.id = ${requests.userId}
		and (
			leaving.is_superadmin = 0
			or exists (
				select 1 from ${users} as staying where staying.is_superadmin = 1 and staying.id <> leaving.id
			)
		)
)`

/** Finds requests that are due, and those whose message was lost. */
export const deletionSweep = sweepRows(
	{ at: requests.dueAt, isOpen: confirmed },
	{ requestId: requests.id },
	({ requestId }) => ({ type: 'deletion.execute', requestId }),
)

/** Finds reminders that were claimed but never sent, because their message was lost. */
export const reminderSweep = sweepRows(
	{ at: reminders.claimedAt, afterMs: MESSAGE_LEASE_MS, leaseMs: 0, isOpen: isNull(reminders.sentAt) },
	{ requestId: reminders.deletionRequestId, kind: reminders.kind },
	(reminder) => ({ type: 'deletion.remind', ...reminder }),
)

export const deletionStore = (db: Db) => ({
	/** Inserts nothing if the user does not exist. Violates a unique index if the user has an open request. */
	insertRequestStatement(row: DeletionRequestRow) {
		return insertSelect(db, requests, row, sql`from ${users} where ${users.id} = ${row.userId}`).returning({
			id: requests.id,
		})
	},

	/** Inserts nothing if the person is gone or has an open request, or if a restored database gave the id to another person. */
	restoreRequestStatement(row: DeletionRequestRow) {
		return insertSelect(
			db,
			requests,
			row,
			sql`from ${users} where ${users.id} = ${row.userId} and ${users.createdAt} <= ${row.requestedAt}`,
		).onConflictDoNothing()
	},

	/** Logs a change; must directly follow the statement of the change in the batch. */
	logIfChangedStatement(requestId: string, action: Action, details: Record<string, unknown>, now: number) {
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

	/** Cancels the request unless its execution has begun, so that only one of the two succeeds. */
	cancelStatement(id: string, userId: number, now: number) {
		return db
			.update(requests)
			.set({ status: 'cancelled', cancelledAt: now })
			.where(and(eq(requests.id, id), eq(requests.userId, userId), cancellable))
			.returning({ id: requests.id })
	},

	/** Ends the grace period, so that the request is due now. Without a link, no mails are sent. */
	expediteStatement(id: string, now: number, withLink: boolean) {
		return db
			.update(requests)
			.set({ scheduledFor: now, dueAt: now, ...(!withLink && { tokenNonce: null }) })
			.where(and(eq(requests.id, id), confirmed))
			.returning({ id: requests.id })
	},

	/** Claims due reminders that no run has claimed before. Returns the ids of their requests. */
	async claimReminders(kind: ReminderKind, now: number, limit: number): Promise<string[]> {
		const { from, until } = computeDueWindow(kind, now)
		const claimed = await insertSelect(
			db,
			reminders,
			{ deletionRequestId: sql`${requests.id}`, kind, claimedAt: now },
			sql`
				from ${requests}
				where ${cancellable}
					and ${isNotNull(requests.tokenNonce)}
					and ${requests.scheduledFor} >= ${from}
					and ${requests.scheduledFor} < ${until}
					and not exists (
						select 1 from ${reminders}
						where ${reminders.deletionRequestId} = ${requests.id} and ${reminders.kind} = ${kind}
					)
				order by ${requests.scheduledFor} limit ${limit}
			`,
		)
			.onConflictDoNothing()
			.returning({ id: reminders.deletionRequestId })
		return claimed.map(({ id }) => id)
	},

	/** Returns the request and address for a reminder, or undefined if it was sent or the deletion was cancelled. */
	async findReminder(requestId: string, kind: ReminderKind) {
		const [row] = await db
			.select({ request: requests, email: accountEmail })
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

	markRemindedStatement(requestId: string, kind: ReminderKind, now: number) {
		return db
			.update(reminders)
			.set({ sentAt: now })
			.where(
				and(eq(reminders.deletionRequestId, requestId), eq(reminders.kind, kind), isNull(reminders.sentAt)),
			)
	},

	/** Begins the execution, which rules out a cancellation. A run that continues after a crash calls this again. */
	async begin(id: string, now: number): Promise<(DeletionRequestRow & { userId: number }) | undefined> {
		const [row] = await db
			.update(requests)
			.set({ executingAt: sql`coalesce(${requests.executingAt}, ${now})` })
			.where(and(eq(requests.id, id), confirmed, keepsSuperadmin))
			.returning()
		return row && row.userId !== null ? { ...row, userId: row.userId } : undefined
	},

	/** Reverts `begin` after the final batch was refused. */
	async undoBegin(id: string): Promise<void> {
		await db
			.update(requests)
			.set({ executingAt: null })
			.where(and(eq(requests.id, id), confirmed))
	},

	async pruneIpAddresses(now: number): Promise<void> {
		await db
			.update(logs)
			.set({ details: sql`json_remove(${logs.details}, '$.ip_address')` })
			.where(
				and(
					lte(logs.createdAt, now - IP_RETENTION_MS),
					sql`json_type(${logs.details}, '$.ip_address') is not null`,
				),
			)
	},
})
