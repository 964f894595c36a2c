import { type SQL, sql } from 'drizzle-orm'
import { CommunityRole } from '#schema/contract/community/fields.ts'
import type { EventByType } from '#schema/contract/events.ts'
import type { PageQuery } from '#schema/contract/kit/page.ts'
import {
	draftInvitation,
	invitationNotFoundError,
	mailInvitation,
} from '../../accounts/invitations/invitation.ts'
import type { Sender } from '../../accounts/mail/invitation-limits.ts'
import type { Member, OrgCaller, Person } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { forbiddenError, isOrgAdmin } from '../../http/org-callers.ts'
import { decodeCursor } from '../../http/page.ts'
import { unverifiedAddressError } from '../../http/verified-address.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { sha256 } from '../../platform/tokens/digest.ts'
import type { LinkKind } from '../../platform/tokens/link-token.ts'
import { requireCommunity } from '../communities/communities.ts'
import { ownedBy } from '../communities/store.ts'
import { requireRoleAbove, rolesBelow } from '../roles.ts'
import { deferIndexing } from '../search/index-content.ts'
import { communityInvitationStore, type InvitationRow, type ListedInvitation } from './store.ts'

/** Distinguishes invitations to communities from those to organizations. */
const TOKEN_PREFIX = 'c.'

type Invitee = Pick<InvitationRow, 'email' | 'role'> &
	Partial<Pick<InvitationRow, 'ssoUserId' | 'avatarUrl' | 'headline' | 'bio'>>

export const isCommunityToken = (token: string): boolean => token.startsWith(TOKEN_PREFIX)

export const communityInvitationLinks: LinkKind = {
	purpose: 'community-invitation',
	mark: TOKEN_PREFIX,
	derivedFrom: (_, nonce) => nonce,
}

type Inviter = {
	/** The person whose daily limit this counts against; null for an API key. */
	senderId: number | null
	userId: number
	membershipId: number | null
	replaces: readonly CommunityRole[]
}

/** Invites to the community that matches `which`. Returns undefined if none matches, or the person is a member or banned. */
async function invite(
	deps: Deps,
	which: SQL,
	org: Sender['org'],
	inviter: Inviter,
	invitee: Invitee,
): Promise<InvitationRow | undefined> {
	const store = communityInvitationStore(deps.db)
	const { senderId, userId: invitedByUserId, membershipId: invitedByMembershipId, replaces } = inviter
	const { email, role, ssoUserId = null, avatarUrl = null, headline = null, bio = null } = invitee
	const mayInvite = store.mayInvite(which, { email, ssoUserId, createdAt: deps.now }, replaces)
	const draft = await draftInvitation(deps, communityInvitationLinks, { email, senderId, org }, mayInvite)
	if (!draft) return undefined
	const profile = { ssoUserId, avatarUrl, headline, bio }
	const row = { ...draft, email, role, ...profile, invitedByUserId, invitedByMembershipId }
	return store.insert(deps.work, which, org?.id ?? null, row, replaces)
}

const alreadyMemberError = (otherReason = '') =>
	new AppError('conflict', `this person is already a member, or banned${otherReason}`)

export async function inviteToCommunity(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	invitee: Invitee,
): Promise<InvitationRow> {
	if (!isOrgAdmin(caller)) throw forbiddenError('the API key lacks the scope admin')
	const which = sql`c.id = ${communityId} and c.org_id = ${caller.org.id}`
	// Acceptance checks the role of the inviter again; for an API key, the role of the person who created it.
	const userId = caller.kind === 'person' ? caller.userId : caller.makerId
	const replaces: readonly CommunityRole[] = caller.kind === 'key' ? ['member'] : CommunityRole.options
	const senderId = caller.kind === 'person' ? caller.userId : null
	const row = await invite(
		deps,
		which,
		caller.org,
		{ senderId, userId, membershipId: null, replaces },
		invitee,
	)
	if (row) return row
	await requireCommunity(deps, caller, communityId)
	throw alreadyMemberError(invitee.ssoUserId ? ', or another member has this ssoUserId' : '')
}

/** Invites on behalf of a member, to a role below their own. */
export async function inviteByMember(
	deps: Deps,
	{ communityId, userId, membershipId, role, org }: Member,
	invitee: Invitee,
): Promise<void> {
	requireRoleAbove(role, invitee.role)
	const inviter = { senderId: userId, userId, membershipId, replaces: rolesBelow[role] }
	if (!(await invite(deps, sql`c.id = ${communityId}`, org, inviter, invitee)))
		throw alreadyMemberError(', or invited to a role that you may not assign')
}

export async function listCommunityInvitations(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	query: PageQuery,
): Promise<ListedInvitation[]> {
	const { id } = await requireCommunity(deps, caller, communityId)
	return communityInvitationStore(deps.db).list(id, query.limit, decodeCursor(query))
}

export async function revokeCommunityInvitation(
	{ db, work }: Deps,
	caller: OrgCaller,
	communityId: number,
	id: number,
): Promise<void> {
	const isOwned = ownedBy(caller.org.id, communityId)
	if (!(await communityInvitationStore(db).revoke(work, isOwned, communityId, id)))
		throw notFoundError('open invitation')
}

export async function mailCommunityInvitation(
	deps: Deps,
	{ payload, orgId }: EventByType<'member.invited'>,
): Promise<void> {
	const found = await communityInvitationStore(deps.db).findForMail(payload.invitationId)
	// Undefined if the invitation was revoked or used before the mail was sent.
	if (!found) return
	const { communityName: groupName, inviterName, createdAt, ...invitation } = found
	const mailId = `community-invitation.${invitation.id}.${createdAt}`
	await mailInvitation(deps, communityInvitationLinks, { mailId, orgId, groupName, inviterName, invitation })
}

/** Returns the address of an open invitation by its token. */
export async function findInvitedAddress({ db, now }: Deps, token: string): Promise<string | undefined> {
	return (await communityInvitationStore(db).findOpen(await sha256(token), now))?.email
}

export async function requireCommunityInvitation(deps: Deps, token: string, email: string): Promise<void> {
	if ((await findInvitedAddress(deps, token)) !== email) throw invitationNotFoundError()
}

/** Returns the join statements for the batch that creates the account. */
export async function joinCommunityByInvitation(
	deps: Deps,
	token: string,
	email: string,
	userId: SQL<number>,
) {
	await requireCommunityInvitation(deps, token, email)
	return communityInvitationStore(deps.db).joinByTokenStatements(
		deps.work,
		await sha256(token),
		email,
		userId,
	)
}

export async function acceptCommunityInvitation(deps: Deps, person: Person, token: string) {
	if (!person.emailVerified) throw unverifiedAddressError()
	const { db, work } = deps
	const statements = communityInvitationStore(db).joinByTokenStatements(
		work,
		await sha256(token),
		person.email,
		person.userId,
	)
	const {
		invitationAccepted: [accepted],
		memberJoined: [member],
	} = await batch(db, statements)
	if (!accepted || !member) throw invitationNotFoundError()
	deferIndexing(deps, 'member', member.id)
	const { communityId: id, name, slug } = accepted
	return { id, name, slug, memberId: member.id }
}
