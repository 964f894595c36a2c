import { z } from 'zod'

/** What an entry of the audit log says happened. */
export const auditActions = [
	'org.created',
	'org.updated',
	'member.invited',
	'member.invitation_revoked',
	'member.joined',
	'member.role_changed',
	'member.removed',
	'api_key.created',
	'api_key.deleted',
	'webhook.created',
	'webhook.updated',
	'webhook.deleted',
	'webhook.secret_rotated',
	'settings.updated',
	'ai_settings.updated',
	'playback_tokens.revoked',
	'community.created',
	'community.updated',
	'community.deleted',
	'community_member.invited',
	'community_member.invitation_revoked',
	'community_member.joined',
	'community_member.updated',
	'community_member.removed',
	'community_member.banned',
	'community_member.unbanned',
	'community_member.tokens_revoked',
	'access_group.created',
	'access_group.updated',
	'access_group.deleted',
	'access_group.member_added',
	'access_group.member_removed',
	'access_group.space_added',
	'access_group.space_removed',
	'space.created',
	'space.updated',
	'space.deleted',
	'profile_field.created',
	'profile_field.updated',
	'profile_field.deleted',
	'superadmin.granted',
	'machine.registered',
	'machine.paused',
	'machine.resumed',
	'machine.evicted',
	'machine.readmitted',
	'machine.signed_off',
	'account_deletion.expedited',
	'erasures.replayed',
	'secrets.resealed',
] as const
export const AuditAction = z.enum(auditActions)
export type AuditAction = z.infer<typeof AuditAction>

/** `registration` is the holder of the registration token of the fleet; `system` is the installation itself. */
export const ActorKind = z.enum(['user', 'api_key', 'machine', 'registration', 'system'])
export type ActorKind = z.infer<typeof ActorKind>

export const TargetKind = z.enum([
	'org',
	'user',
	'invitation',
	'api_key',
	'webhook',
	'asset',
	'community',
	'community_member',
	'community_invitation',
	'access_group',
	'space',
	'profile_field',
	'machine',
	'deletion_request',
])
export type TargetKind = z.infer<typeof TargetKind>
