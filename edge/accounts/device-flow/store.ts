import { and, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { deviceRequests } from '#schema/tables/accounts/device-requests.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { runAudited } from '../../platform/audit/audit.ts'
import { DAY } from '../../platform/clock.ts'
import type { Db } from '../../platform/database/database.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { selectEffectiveTier } from '../orgs/tiers/effective-tier.ts'

export type DeviceRequestRow = typeof deviceRequests.$inferSelect
type NewRequest = typeof deviceRequests.$inferInsert
type Approval = { userId: number; sessionId: string; orgId: string; scopes: DeviceRequestRow['scopes'] }

const isPending = (id: string, now: number) =>
	and(eq(deviceRequests.id, id), eq(deviceRequests.state, 'pending'), gt(deviceRequests.expiresAt, now))

/** SQL condition: the request's approval is still valid. The approver's role is checked with the key. */
export const isApproved = (id: string): SQL =>
	sql`exists (
		select 1 from device_requests as asked
		join users as approver on approver.id = asked.approved_by_user_id
		where asked.id = ${id}
			and asked.state = 'approved'
			and approver.token_version = asked.approver_token_version
			and approver.locked_at is null
	)`

export const deviceRequestStore = (db: Db) => ({
	/** Returns false if one of its codes is taken. */
	async insert(row: NewRequest): Promise<boolean> {
		const rows = await db
			.insert(deviceRequests)
			.values(row)
			.onConflictDoNothing()
			.returning({ id: deviceRequests.id })
		return rows.length === 1
	},

	async findPending(userCodeHashes: readonly string[], now: number): Promise<DeviceRequestRow | undefined> {
		const [row] = await db
			.select()
			.from(deviceRequests)
			.where(
				and(
					inArray(deviceRequests.userCodeHash, [...userCodeHashes]),
					eq(deviceRequests.state, 'pending'),
					gt(deviceRequests.expiresAt, now),
				),
			)
		return row
	},

	/** Returns the request, with the organization once it is approved. */
	async findByDeviceCode(deviceCodeHash: string, now: number) {
		const [row] = await db
			.select({
				request: deviceRequests,
				org: {
					id: orgs.id,
					tier: selectEffectiveTier('orgs', now).as('effective_tier'),
					suspendedAt: orgs.suspendedAt,
				},
			})
			.from(deviceRequests)
			.leftJoin(orgs, eq(orgs.id, deviceRequests.orgId))
			.where(eq(deviceRequests.deviceCodeHash, deviceCodeHash))
		return row
	},

	/** Returns false if another attempt was recorded meanwhile. */
	async recordPoll(row: DeviceRequestRow, intervalSeconds: number, now: number): Promise<boolean> {
		const rows = await db
			.update(deviceRequests)
			.set({ lastPolledAt: now, intervalSeconds })
			.where(and(eq(deviceRequests.id, row.id), sql`${deviceRequests.lastPolledAt} is ${row.lastPolledAt}`))
			.returning({ id: deviceRequests.id })
		return rows.length === 1
	},

	/** Returns false if the request was decided or has expired meanwhile, or the session of the approver has ended. */
	async approve(
		work: UnitOfWork,
		id: string,
		{ userId, sessionId, orgId, scopes }: Approval,
	): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.update(deviceRequests)
				.set({
					state: 'approved',
					approvedByUserId: userId,
					approverTokenVersion: sql`
						(select token_version from users as approver where approver.id = ${userId})
					`,
					orgId,
					grantedScopes: scopes,
				})
				.where(
					and(
						isPending(id, work.now),
						sql`exists (select 1 from sessions as own where own.id = ${sessionId})`,
					),
				)
				.returning({ id: deviceRequests.id }),
			{ action: 'device.approved', orgId, target: { kind: 'device_request', id }, details: { scopes } },
		)
		return rows.length === 1
	},

	async deny(id: string, now: number): Promise<boolean> {
		const rows = await db
			.update(deviceRequests)
			.set({ state: 'denied' })
			.where(isPending(id, now))
			.returning({ id: deviceRequests.id })
		return rows.length === 1
	},

	/** Withdraws an approval that is no longer valid. */
	async withdraw(id: string): Promise<void> {
		await db
			.update(deviceRequests)
			.set({ state: 'denied' })
			.where(and(eq(deviceRequests.id, id), eq(deviceRequests.state, 'approved')))
	},

	/** Closes the request in the batch that inserts its key, if the key was inserted. */
	closeStatement(id: string, keyId: string) {
		return db
			.update(deviceRequests)
			.set({ state: 'done' })
			.where(
				and(
					eq(deviceRequests.id, id),
					eq(deviceRequests.state, 'approved'),
					sql`exists (select 1 from api_keys as given where given.id = ${keyId})`,
				),
			)
	},

	async prune(now: number): Promise<void> {
		await db.delete(deviceRequests).where(lt(deviceRequests.createdAt, now - DAY))
	},
})
