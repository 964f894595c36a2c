import { and, desc, eq, gt, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm'
import { apiKeys, orgMembers, orgs, users } from '#schema/tables/accounts/identity.ts'
import { auditIfChangedStatement, runAudited } from '../../platform/audit/audit.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { comesBefore, type Position } from '../../platform/database/keyset.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { isManager, managers } from './store.ts'
import { selectEffectiveTier } from './tiers/effective-tier.ts'

export type ApiKeyRow = typeof apiKeys.$inferSelect

const isOfFormerManager = (orgId: string, userId: number) =>
	and(eq(apiKeys.orgId, orgId), eq(apiKeys.createdByUserId, userId), sql`not ${isManager(orgId, userId)}`)

/** Returns SQL for the ids that `revokeOfFormerManagerStatement` would delete, as JSON. */
export const selectFormerManagerKeys = (orgId: string, userId: number): SQL =>
	sql`
		json((select json_group_array(${apiKeys.id}) from ${apiKeys} where ${isOfFormerManager(orgId, userId)}))
	`

export const apiKeyStore = (db: Db) => ({
	async list(orgId: string, limit: number, position: Position | null) {
		return db
			.select({ key: apiKeys, creatorName: users.name })
			.from(apiKeys)
			.leftJoin(users, eq(users.id, apiKeys.createdByUserId))
			.where(and(eq(apiKeys.orgId, orgId), comesBefore(apiKeys.createdAt, apiKeys.id, position)))
			.orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
			.limit(limit + 1)
	},

	/**
	 * Returns the statements that insert a key, its event and its entry. They insert nothing if the tier allows no more
	 * keys, the creator is no longer an owner or admin, or `isAllowed` does not hold.
	 */
	insertStatements(
		work: UnitOfWork,
		row: ApiKeyRow & { createdByUserId: number },
		max: number | null,
		isAllowed: SQL,
	) {
		return {
			keyInserted: insertSelect(
				db,
				apiKeys,
				{
					id: row.id,
					orgId: row.orgId,
					name: row.name,
					keyHash: row.keyHash,
					prefix: row.prefix,
					lastFour: row.lastFour,
					scopes: row.scopes,
					createdByUserId: row.createdByUserId,
					createdAt: row.createdAt,
					expiresAt: row.expiresAt,
				},
				sql`
					where ${isManager(row.orgId, row.createdByUserId)}
						and ${isAllowed}
						and (
							${max} is null
							or (select count(*) from ${apiKeys} where ${apiKeys.orgId} = ${row.orgId}) < ${max}
						)
				`,
			).returning({ id: apiKeys.id }),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'org.api_key_created',
				orgId: row.orgId,
				payload: { keyId: row.id },
			}),
			entryWritten: auditIfChangedStatement(work, {
				action: 'api_key.created',
				orgId: row.orgId,
				target: { kind: 'api_key', id: row.id },
				// A device that requests a key has no caller.
				actorUserId: row.createdByUserId,
				details: { scopes: row.scopes, expires: row.expiresAt !== null },
			}),
		}
	},

	count: (orgId: string): Promise<number> => db.$count(apiKeys, eq(apiKeys.orgId, orgId)),

	async findForNotice(id: string) {
		const [row] = await db
			.select({
				keyName: apiKeys.name,
				prefix: apiKeys.prefix,
				scopes: apiKeys.scopes,
				createdByUserId: apiKeys.createdByUserId,
				orgName: orgs.name,
				creatorName: users.name,
			})
			.from(apiKeys)
			.innerJoin(orgs, eq(orgs.id, apiKeys.orgId))
			.leftJoin(users, eq(users.id, apiKeys.createdByUserId))
			.where(eq(apiKeys.id, id))
		return row
	},

	/** Returns what `GET /v1/auth/whoami` shows of an organization, and of its key if there is an id. */
	async findIdentity(orgId: string, keyId: string | null) {
		const [row] = await db
			.select({ orgName: orgs.name, keyName: apiKeys.name, keyExpiresAt: apiKeys.expiresAt })
			.from(orgs)
			.leftJoin(apiKeys, and(eq(apiKeys.orgId, orgs.id), sql`${apiKeys.id} = ${keyId}`))
			.where(eq(orgs.id, orgId))
		return row
	},

	async delete(work: UnitOfWork, orgId: string, id: string): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.delete(apiKeys)
				.where(and(eq(apiKeys.orgId, orgId), eq(apiKeys.id, id)))
				.returning({ id: apiKeys.id }),
			{ action: 'api_key.deleted', orgId, target: { kind: 'api_key', id } },
		)
		return rows.length === 1
	},

	/** Deletes the keys of a person unless they are an owner or admin of the organization. */
	revokeOfFormerManagerStatement(orgId: string, userId: number) {
		return db.delete(apiKeys).where(isOfFormerManager(orgId, userId))
	},

	/**
	 * Loads everything that an API key request needs. A key works only while its creator is an unlocked owner or admin.
	 */
	async find(keyHash: string, now: number) {
		const [row] = await db
			.select({
				keyId: apiKeys.id,
				makerId: orgMembers.userId,
				scopes: apiKeys.scopes,
				lastUsedAt: apiKeys.lastUsedAt,
				orgId: orgs.id,
				slug: orgs.slug,
				tier: selectEffectiveTier('orgs', now).as('tier'),
				suspendedAt: orgs.suspendedAt,
				suspensionReasons: orgs.suspensionReasons,
			})
			.from(apiKeys)
			.innerJoin(orgs, eq(orgs.id, apiKeys.orgId))
			.innerJoin(
				orgMembers,
				and(
					eq(orgMembers.orgId, apiKeys.orgId),
					eq(orgMembers.userId, apiKeys.createdByUserId),
					inArray(orgMembers.role, managers),
				),
			)
			.innerJoin(users, and(eq(users.id, apiKeys.createdByUserId), isNull(users.lockedAt)))
			.where(and(eq(apiKeys.keyHash, keyHash), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))))
		return row
	},

	async touch(id: string, now: number, usedBefore: number): Promise<void> {
		await db
			.update(apiKeys)
			.set({ lastUsedAt: now })
			.where(and(eq(apiKeys.id, id), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, usedBefore))))
	},
})
