import type { Org } from '#schema/contract/accounts/orgs.ts'
import type { ApiScope, OrgRole } from '#schema/contract/accounts/roles.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { invitationStatus } from '../invitations/invitation.ts'
import type { ApiKeyRow } from './api-key-store.ts'
import type { InvitationRow } from './invitation-store.ts'
import type { OrgRow } from './store.ts'
import { chooseEffectiveTier } from './tiers/effective-tier.ts'

export const viewOrg = (org: OrgRow, role: OrgRole | null, now: number): Org => ({
	id: org.id,
	name: org.name,
	slug: org.slug,
	tier: chooseEffectiveTier(org, now),
	role,
	webhookUrl: org.webhookUrl,
	suspended: org.suspendedAt !== null,
	suspensionReasons: org.suspensionReasons,
	supportAccess: org.supportAccess,
	createdAt: toIso(org.createdAt),
	updatedAt: toIso(org.updatedAt),
})

export const pickEditableColumns = ({ name, slug, webhookUrl }: OrgRow) => ({ name, slug, webhookUrl })

type MemberRow = { userId: number; email: string; name: string; role: OrgRole; joinedAt: number }

export const viewMember = ({ joinedAt, ...member }: MemberRow) => ({ ...member, joinedAt: toIso(joinedAt) })

export const viewInvitation = (row: InvitationRow, now: number) => ({
	id: row.id,
	email: row.email,
	role: row.role,
	status: invitationStatus(row, now),
	createdAt: toIso(row.createdAt),
	expiresAt: toIso(row.expiresAt),
})

export const viewApiKey = (row: ApiKeyRow, creatorName: string | null) => ({
	id: row.id,
	name: row.name,
	prefix: row.prefix,
	lastFour: row.lastFour,
	scopes: row.scopes as ApiScope[],
	createdBy:
		row.createdByUserId === null || creatorName === null
			? null
			: { id: row.createdByUserId, name: creatorName },
	createdAt: toIso(row.createdAt),
	expiresAt: toIsoOrNull(row.expiresAt),
	lastUsedAt: toIsoOrNull(row.lastUsedAt),
})
