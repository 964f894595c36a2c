import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { AuditAction, TargetKind } from '#schema/contract/accounts/audit/actions.ts'
import { users } from '#schema/tables/accounts/identity.ts'
import { auditLog } from '#schema/tables/audit-log.ts'
import { batch } from '../database/batch.ts'
import { newId } from '../database/ids.ts'
import { insertSelect } from '../database/insert-select.ts'
import { isRevoking } from '../rewind/revoking.ts'
import { toHex } from '../tokens/digest.ts'
import type { UnitOfWork } from '../unit-of-work.ts'

/** A draft of an entry. An earlier statement of the same batch may produce its values. */
export type AuditDraft = {
	action: AuditAction
	/** Null for the installation; defaults to the caller's organization. */
	orgId?: string | SQL | null
	target?: {
		kind: TargetKind
		id?: string | number | SQL | null
		/** The person concerned. */
		userId?: number | SQL | null
		email?: string | SQL | null
	}
	/** Anonymous values, or SQL for them as JSON. Never contains user-written text. */
	details?: Record<string, unknown> | SQL
	/** The acting user, if the request has no caller yet. */
	actorUserId?: number | SQL
}

/** Returns the statement that writes an entry. Must directly follow the change, in the same batch. */
export const auditStatement = (work: UnitOfWork, draft: AuditDraft) =>
	insertSelect(work.db, auditLog, entryRow(work, draft))

/** Like `auditStatement`, but writes only if the previous statement of the batch changed something. */
export const auditIfChangedStatement = (work: UnitOfWork, draft: AuditDraft) =>
	auditIfStatement(work, draft, sql`changes() > 0`)

export const auditIfStatement = (work: UnitOfWork, draft: AuditDraft, condition: SQL) =>
	insertSelect(work.db, auditLog, entryRow(work, draft), sql`where ${condition}`)

/** Returns the statement that writes an entry for each row of a selection, such as `from org_members as member where …`. */
export function auditPerRowStatement(work: UnitOfWork, draft: AuditDraft, from: SQL) {
	const row = entryRow(work, draft)
	const random = sql<string>`lower(hex(randomblob(16)))`
	return insertSelect(
		work.db,
		auditLog,
		{
			...row,
			// As many random characters as an id has.
			id: sql<string>`${row.id.slice(0, -16)} || lower(hex(randomblob(8)))`,
			...('targetSalt' in row && { targetSalt: random }),
		},
		from,
	)
}

/** The integer id that the previous statement of the batch inserted. */
export const insertedId = sql`last_insert_rowid()`

/** Runs one statement and writes an entry if it changed something, in one batch. Returns its result. */
export async function runAudited<S extends BatchItem<'sqlite'>>(
	work: UnitOfWork,
	change: S,
	draft: AuditDraft,
): Promise<S['_']['result']> {
	const { changed } = await batch(work.db, {
		changed: change,
		entryWritten: auditIfChangedStatement(work, draft),
	})
	return changed as S['_']['result']
}

function entryRow(work: UnitOfWork, { action, orgId, target, details = {}, actorUserId }: AuditDraft) {
	const { now, audit } = work
	const { actor, onBehalfOfUserId, requestId, ipAddress } = audit
	if (isRevoking(action)) work.hasRevoked = true
	const userId = actorUserId ?? actor.userId
	return {
		id: newId('aud', now),
		orgId: bound(orgId === undefined ? audit.orgId : orgId),
		action,
		actorKind: actorUserId === undefined ? actor.kind : ('user' as const),
		actorId: bound(actor.id),
		targetKind: target?.kind ?? null,
		targetId: textOf(target?.id ?? null),
		requestId: bound(requestId),
		details,
		createdAt: now,
		actorUserId: bound(userId),
		actorEmail: emailOf(userId),
		ipAddress: bound(ipAddress),
		actorSalt: bound(userId === null && ipAddress === null ? null : newSalt()),
		onBehalfOfUserId: bound(onBehalfOfUserId),
		onBehalfOfEmail: emailOf(onBehalfOfUserId),
		onBehalfOfSalt: bound(onBehalfOfUserId === null ? null : newSalt()),
		...(target && person(target)),
	}
}

/** Also binds null, so that the statement text does not depend on the caller. */
const bound = <T>(value: T | SQL | null): SQL<T> => sql<T>`${value}`

/** D1 binds numbers as floats, so only ids from SQL are cast there. */
const textOf = (id: string | number | SQL | null): string | SQL<string> | null =>
	id === null || typeof id === 'string'
		? id
		: typeof id === 'number'
			? String(id)
			: sql<string>`cast(${id} as text)`

/** Returns the columns that name the person concerned. */
function person({ userId = null, email = null }: NonNullable<AuditDraft['target']>) {
	if (userId === null && email === null) return {}
	return {
		targetUserId: userId,
		targetEmail: email ?? (userId === null ? null : emailOf(userId)),
		targetSalt: newSalt(),
	}
}

const emailOf = (userId: number | SQL | null): SQL<string> =>
	sql<string>`(select ${users.email} from ${users} where ${users.id} = ${userId})`

const newSalt = (): string => toHex(crypto.getRandomValues(new Uint8Array(16)))
