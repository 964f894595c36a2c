import type { SQL } from 'drizzle-orm'
import { OrgRole } from '#schema/contract/accounts/roles.ts'
import type { EventByType } from '#schema/contract/events.ts'
import type { OrgCaller, Person } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { requireNotFullySuspended } from '../../http/guards/suspension.ts'
import { unverifiedAddressError } from '../../http/verified-address.ts'
import { auditIfChangedStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import type { LinkKind } from '../../platform/tokens/link-token.ts'
import { draftInvitation, invitationNotFoundError, mailInvitation } from '../invitations/invitation.ts'
import { type InvitationRow, invitationStore } from './invitation-store.ts'
import { planLimitError, tierLimit } from './limits.ts'
import { orgStore } from './store.ts'

export const invitationLinks: LinkKind = {
	purpose: 'invitation-link',
	mark: '',
	derivedFrom: (id, nonce) => `${id}.${nonce}`,
}

export async function inviteMember(
	deps: Deps,
	caller: OrgCaller,
	input: { email: string; role: OrgRole },
): Promise<InvitationRow> {
	const { db, work, now } = deps
	const { org } = caller
	const roles = rolesInvitedBy(caller)
	if (!roles.includes(input.role)) throw new AppError('forbidden', 'only owners can invite an owner')
	const store = orgStore(db)
	if (await store.isMemberByEmail(org.id, input.email))
		throw new AppError('conflict', 'this person is already a member')
	const max = tierLimit(org.tier, 'members')
	const senderId = caller.kind === 'person' ? caller.userId : null
	const invitations = invitationStore(db)
	const { email } = input
	const mayInvite = invitations.mayInvite({ orgId: org.id, email, createdAt: now }, max, roles)
	const draft = await draftInvitation(deps, invitationLinks, { email, senderId, org }, mayInvite)
	const row: InvitationRow | null = draft && {
		...draft,
		...input,
		id: newId('inv', now),
		orgId: org.id,
		// Acceptance checks the inviter's role again. For an API key, that is the role of the key's creator.
		invitedByUserId: caller.kind === 'person' ? caller.userId : caller.makerId,
		acceptedAt: null,
	}
	if (row && (await invitations.invite(work, row, max, roles))) return row
	if (max !== null && (await store.countSeats(org.id, now, input.email)) >= max)
		throw planLimitError(org.tier, 'members')
	throw new AppError('conflict', "this address is already invited to a role that you can't assign")
}

/** Returns the roles for which a caller may create, replace and cancel invitations. */
const rolesInvitedBy = (caller: OrgCaller): readonly OrgRole[] => {
	if (caller.kind === 'key') return ['member']
	return caller.role === 'owner' ? OrgRole.options : ['admin', 'member']
}

export async function revokeInvitation(deps: Deps, caller: OrgCaller, id: string): Promise<void> {
	const store = invitationStore(deps.db)
	if (await store.revoke(deps.work, caller.org.id, id, rolesInvitedBy(caller))) return
	const { invitation } = (await store.find(id)) ?? {}
	if (invitation?.orgId === caller.org.id && invitation.acceptedAt === null)
		throw new AppError('forbidden', "this invitation is for a role that you can't assign")
	throw notFoundError('pending invitation')
}

export async function mailOrgInvitation(
	deps: Deps,
	{ orgId, payload }: EventByType<'org.member_invited'>,
): Promise<void> {
	const found = await invitationStore(deps.db).find(payload.invitationId)
	// The invitation was cancelled, replaced or used since the event.
	if (!found || found.invitation.acceptedAt !== null) return
	const { orgName: groupName, ...more } = found
	await mailInvitation(deps, invitationLinks, {
		...more,
		...{ groupName, orgId, mailId: `invitation.${found.invitation.id}` },
	})
}

export async function findOpenInvitation(deps: Deps, token: string): Promise<InvitationRow | undefined> {
	return invitationStore(deps.db).findOpen(await sha256(token), deps.now)
}

/** Returns the invitation of a token, or throws if this address can't use it now. */
export async function requireInvitation(deps: Deps, token: string, email: string) {
	const store = orgStore(deps.db)
	const invitation = await findOpenInvitation(deps, token)
	const org = invitation && (await store.find(invitation.orgId, deps.now))
	if (!org || invitation.email !== email) throw invitationNotFoundError()
	requireNotFullySuspended(org)
	const max = tierLimit(org.tier, 'members')
	// An open invitation already holds a seat, so this fails only after a change of tier.
	if (max !== null && (await store.countSeats(org.id, deps.now)) > max)
		throw planLimitError(org.tier, 'members')
	return { invitation, org }
}

/**
 * Returns statements that use the invitation, insert the membership and record the event, or do nothing if the
 * invitation is no longer open. The same batch may create the user.
 */
export async function joinByInvitation(
	deps: Deps,
	token: string,
	email: string,
	userId: SQL<number> | number,
) {
	const { db, work, now } = deps
	const store = orgStore(db)
	const { invitation, org } = await requireInvitation(deps, token, email)
	const { role } = invitation
	const event = { type: 'org.member_joined', orgId: org.id, payload: { userId, role } } as const
	const statements = {
		invitationUsed: invitationStore(db).useStatement(invitation.id, now),
		memberJoined: store.joinIfChangedStatement(org.id, userId, role, now),
		eventRecorded: recordEventIfChangedStatement(work, event),
		entryWritten: auditIfChangedStatement(work, {
			action: 'member.joined',
			orgId: org.id,
			target: { kind: 'user', userId },
			details: { role },
			actorUserId: userId,
		}),
	}
	return { org, role, statements }
}

export async function acceptInvitation(deps: Deps, person: Person, token: string) {
	if (!person.emailVerified) throw unverifiedAddressError()
	const { org, role, statements } = await joinByInvitation(deps, token, person.email, person.userId)
	const { invitationUsed } = await batch(deps.db, statements)
	if (invitationUsed.length === 0)
		throw new AppError('not_found', 'this invitation has been used or cancelled; ask for a new one')
	return { org, role }
}
