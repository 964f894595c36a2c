import { type SQL, sql } from 'drizzle-orm'
import { auditLog } from '#schema/tables/audit-log.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DepartingUser, PersonalData } from '../../platform/personal-data.ts'

type PersonColumn =
	| 'actorEmail'
	| 'ipAddress'
	| 'actorSalt'
	| 'onBehalfOfEmail'
	| 'onBehalfOfSalt'
	| 'targetUserId'
	| 'targetEmail'
	| 'targetSalt'
type Erased = { [Column in PersonColumn]?: null }

/** Returns what erases the other columns of a person. Without the salt, nobody can guess them from the digest. */
const erase =
	(columns: Erased) =>
	(db: Db, rows: SQL): [ReturnType<typeof clear>] => [clear(db, columns, rows)]

const clear = (db: Db, columns: Erased, rows: SQL) =>
	db.update(auditLog).set(columns).where(sql`rowid in ${rows}`)

const target: Erased = { targetUserId: null, targetEmail: null, targetSalt: null }

/** Returns the addresses that a person had, as far as the log names them. Must run before they are erased. */
const formerAddresses = (userId: number): SQL =>
	sql`
		select entry.actor_email from audit_log as entry
		where entry.actor_user_id = ${userId} and entry.actor_kind = 'user'
		union
		select entry.target_email from audit_log as entry
		where entry.target_user_id = ${userId}
	`

/**
 * Selects invitations to former addresses, but none to another person who has such an address now. Until it is
 * accepted, an invitation has no user id.
 */
const atFormerAddresses = ({ userId }: DepartingUser): SQL =>
	sql`(
		select invited.rowid from audit_log as invited
		where invited.target_email in (${formerAddresses(userId)})
			and invited.target_user_id is null
			and not exists (
				select 1 from users as holder where holder.email = invited.target_email and holder.id <> ${userId}
			)
	)`

export const auditPersonalData: Partial<PersonalData> = {
	personKeys: [
		{
			column: auditLog.actorUserId,
			holds: 'user id',
			onDeletion: 'null',
			updateDependents: (db, rows, user) => [
				clear(db, target, atFormerAddresses(user)),
				clear(db, { actorEmail: null, ipAddress: null, actorSalt: null }, rows),
			],
			description: 'changes that you made, in the audit log',
		},
		{
			column: auditLog.onBehalfOfUserId,
			holds: 'user id',
			onDeletion: 'null',
			updateDependents: erase({ onBehalfOfEmail: null, onBehalfOfSalt: null }),
			description: 'changes that somebody else made for you, in the audit log',
		},
		{
			column: auditLog.targetUserId,
			holds: 'user id',
			onDeletion: 'null',
			updateDependents: erase({ targetEmail: null, targetSalt: null }),
			description: 'changes that concerned you, in the audit log',
		},
		{
			column: auditLog.targetEmail,
			holds: 'email',
			onDeletion: 'null',
			updateDependents: erase({ targetUserId: null, targetSalt: null }),
			description: 'invitations to your address, in the audit log',
		},
	],
	erasedSeparately: [auditLog.actorEmail, auditLog.onBehalfOfEmail, auditLog.ipAddress],
	impersonal: [
		[auditLog.details, 'names of fields, roles and scopes; never text'],
		[auditLog.actorKind, 'a kind of caller'],
		[auditLog.actorId, 'the id of a key or machine'],
	],
	keptOrgKeys: [auditLog.orgId],
	// An export omits the other person of an entry, and the salts.
	secretColumns: [
		auditLog.actorEmail,
		auditLog.ipAddress,
		auditLog.actorSalt,
		auditLog.onBehalfOfEmail,
		auditLog.onBehalfOfSalt,
		auditLog.targetSalt,
	],
}
