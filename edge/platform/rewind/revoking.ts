import type { AuditAction } from '#schema/contract/accounts/audit/actions.ts'
import type { EventType } from '#schema/contract/events.ts'
import type { Db } from '../database/database.ts'

/** Entries of the audit log that take something away, and are repeated on a restored database. */
export const revokingActions = [
	'member.removed',
	'member.role_changed',
	'member.invitation_revoked',
	'api_key.deleted',
	'webhook.deleted',
	'webhook.updated',
	'webhook.secret_rotated',
	'playback_tokens.revoked',
	'community_member.left',
	'community_member.removed',
	'community_member.banned',
	'community_member.updated',
	'community_member.invitation_revoked',
	'access_group.deleted',
	'access_group.member_removed',
	'access_group.space_removed',
	'superadmin.revoked',
	'user.locked',
	'org.suspended',
	'support_access.changed',
	'machine.evicted',
] as const satisfies readonly AuditAction[]

/** Events that do so. */
export const revokingEvents = [
	'account.password_changed',
	'account.email_changed',
	'account.second_factor_changed',
	'account.deletion_requested',
	'account.deletion_cancelled',
] as const satisfies readonly EventType[]

const revoking: ReadonlySet<string> = new Set([...revokingActions, ...revokingEvents])

/** Each request has its own `Db`. */
const revokedBy = new WeakSet<Db>()

/** Notes that a request makes an entry or event, so that a revocation is copied to the vault after the response. */
export function noteRevocation(db: Db, what: string): void {
	if (revoking.has(what)) revokedBy.add(db)
}

export const hasRevoked = (db: Db): boolean => revokedBy.has(db)
