import type { AuditAction } from '#schema/contract/accounts/audit/actions.ts'
import { revokingEvents } from '#schema/contract/events.ts'

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

const revoking: ReadonlySet<string> = new Set([...revokingActions, ...revokingEvents])

/** Returns whether an entry or event takes something away. */
export const isRevoking = (what: string): boolean => revoking.has(what)
