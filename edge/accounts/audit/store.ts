import { and, desc, eq, gte, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { AuditAction } from '#schema/contract/accounts/audit/actions.ts'
import type { ChainRow, Digests } from '#schema/contract/accounts/audit/chain.ts'
import { auditSeals } from '#schema/tables/accounts/audit.ts'
import { apiKeys, orgs, users } from '#schema/tables/accounts/identity.ts'
import { auditLog } from '#schema/tables/audit-log.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { comesBefore, type Position } from '../../platform/database/keyset.ts'
import { recordEventPerRowStatement } from '../../platform/outbox/outbox.ts'

export type AuditRow = typeof auditLog.$inferSelect

export type AuditFilter = {
	/** Null selects the entries of the installation itself; undefined selects all. */
	orgId?: string | null | undefined
	action?: AuditAction | undefined
	/** Id of a user, key or machine. */
	actor?: string | undefined
	since?: number | undefined
	until?: number | undefined
}

export type Head = { position: number; hash: string }
export type NewSeal = Digests & Head

/**
 * With an actor, only the index of the actor is offered to SQLite, which would otherwise have to guess which condition
 * matches fewer rows.
 */
const matches = ({ orgId, action, actor, since, until }: AuditFilter) => {
	const searchable = (column: AnySQLiteColumn) => (actor === undefined ? sql`${column}` : sql`+${column}`)
	return and(
		orgId === undefined
			? undefined
			: orgId === null
				? isNull(searchable(auditLog.orgId))
				: eq(searchable(auditLog.orgId), orgId),
		action && eq(searchable(auditLog.action), action),
		actor === undefined
			? undefined
			: /^\d+$/.test(actor)
				? eq(auditLog.actorUserId, Number(actor))
				: eq(auditLog.actorId, actor),
		since === undefined ? undefined : gte(auditLog.createdAt, since),
		until === undefined ? undefined : lt(auditLog.createdAt, until),
	)
}

export const auditStore = (db: Db) => ({
	/** Lists entries, newest first. */
	list(filter: AuditFilter, limit: number, position: Position | null): Promise<AuditRow[]> {
		return db
			.select()
			.from(auditLog)
			.where(and(matches(filter), comesBefore(auditLog.createdAt, auditLog.position, position)))
			.orderBy(desc(auditLog.createdAt), desc(auditLog.position))
			.limit(limit + 1)
	},

	/** Lists rows with their seals in chain order. `null` starts before every position. */
	async listChain(after: number | null, limit: number): Promise<ChainRow[]> {
		const rows = await db
			.select({ entry: auditLog, detailsText: sql<string>`${auditLog.details}`, seal: auditSeals })
			.from(auditLog)
			.leftJoin(auditSeals, eq(auditSeals.position, auditLog.position))
			.where(after === null ? undefined : sql`${auditLog.position} > ${after}`)
			.orderBy(auditLog.position)
			.limit(limit)
		return rows.map(({ entry, detailsText, seal }) => chainRowOf(entry, detailsText, seal))
	},

	/** Returns the newest seal that has a row: a forged seal for a later position must not stop sealing. */
	async findHead(): Promise<Head | undefined> {
		const [row] = await db
			.select({ position: auditSeals.position, hash: auditSeals.hash })
			.from(auditSeals)
			.innerJoin(auditLog, eq(auditLog.position, auditSeals.position))
			.orderBy(desc(auditSeals.position))
			.limit(1)
		return row
	},

	/**
	 * Finds contradictions in a range: the first position with a seal but no row, and rows without an actor whose API
	 * key belongs to a person. `null` leaves that end of the range open.
	 */
	async findContradictions(
		after: number | null,
		upTo: number | null,
	): Promise<{ sealWithoutRow: number | null; presentActors: number[] }> {
		const inRange = (position: SQL) =>
			sql`
				${position} > ${after ?? Number.MIN_SAFE_INTEGER}
				and ${position} <= ${upTo ?? Number.MAX_SAFE_INTEGER}
			`
		const [found] = await db.all<{
			sealWithoutRow: number | null
			present: string
		}>(sql`
			select (
				select s.position from ${auditSeals} as s
				where ${inRange(sql`s.position`)}
					and not exists (select 1 from ${auditLog} as a where a.position = s.position)
				order by s.position limit 1
			) as "sealWithoutRow",
				(
					select json_group_array(a.position) from ${auditLog} as a
					cross join ${apiKeys} as k on k.id = a.actor_id
					cross join ${users} as u on u.id = k.created_by_user_id
					where ${inRange(sql`a.position`)} and a.actor_user_id is null
				) as "present"
		`)
		return {
			sealWithoutRow: found?.sealWithoutRow ?? null,
			presentActors: JSON.parse(found?.present ?? '[]'),
		}
	},

	/** Inserts seals, and an event for each entry of an organization. Fails if another run has sealed one of the rows. */
	async seal(seals: readonly NewSeal[], now: number): Promise<void> {
		const list = sql`json_each(${JSON.stringify(seals)})`
		const isSealedNow = sql`a.position in (select value ->> 'position' from ${list})`
		await batch(db, {
			sealsInserted: insertSelect(
				db,
				auditSeals,
				{
					position: sql`value ->> 'position'`,
					actorDigest: sql`value ->> 'actorDigest'`,
					onBehalfOfDigest: sql`value ->> 'onBehalfOfDigest'`,
					targetDigest: sql`value ->> 'targetDigest'`,
					hash: sql`value ->> 'hash'`,
					sealedAt: now,
				},
				sql`from ${list}`,
			),
			eventsRecorded: recordEventPerRowStatement(
				db,
				now,
				{
					type: 'audit.recorded',
					orgId: sql`a.org_id`,
					payload: {
						auditEntryId: sql`a.id`,
						action: sql`a.action`,
						targetKind: sql`a.target_kind`,
						targetId: sql`a.target_id`,
					},
				},
				sql`
					from ${auditLog} as a
					where ${isSealedNow} and exists (select 1 from ${orgs} where ${orgs.id} = a.org_id)
				`,
				sql`a.position`,
			),
		})
	},
})

type SealRow = typeof auditSeals.$inferSelect

function chainRowOf(entry: AuditRow, details: string, seal: SealRow | null): ChainRow {
	const { position, id, orgId, action, actorKind, actorId, targetKind, targetId, requestId, createdAt } =
		entry
	const nobody = { ipAddress: null }
	return {
		position,
		id,
		orgId,
		action,
		actorKind,
		actorId,
		targetKind,
		targetId,
		requestId,
		details,
		createdAt,
		actor: {
			userId: entry.actorUserId,
			email: entry.actorEmail,
			ipAddress: entry.ipAddress,
			salt: entry.actorSalt,
		},
		onBehalfOf: {
			...nobody,
			userId: entry.onBehalfOfUserId,
			email: entry.onBehalfOfEmail,
			salt: entry.onBehalfOfSalt,
		},
		target: { ...nobody, userId: entry.targetUserId, email: entry.targetEmail, salt: entry.targetSalt },
		seal: seal && {
			actorDigest: seal.actorDigest,
			onBehalfOfDigest: seal.onBehalfOfDigest,
			targetDigest: seal.targetDigest,
			hash: seal.hash,
		},
	}
}
