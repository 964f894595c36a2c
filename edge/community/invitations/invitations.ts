import { type SQL, sql } from 'drizzle-orm'
import { CommunityRole } from '#schema/contract/community/fields.ts'
import type { EventOf } from '#schema/contract/events.ts'
import type { Member, OrgCaller, Person } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { unverifiedAddressError } from '../../http/verified-address.ts'
import { countInvitation, type Sender } from '../../mail/invitation-limits.ts'
import { mailLink } from '../../mail/link.ts'
import { unsubscribeUrlFor } from '../../mail/refusals.ts'
import { invitationMail } from '../../mail/templates.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { sha256 } from '../../platform/digest.ts'
import { type LinkKind, makeLinkToken, requireLinkToken } from '../../platform/link-token.ts'
import { relayEvents } from '../../platform/outbox.ts'
import { wantCommunity } from '../communities/communities.ts'
import { refuseUnlessAbove, rolesBelow } from '../roles.ts'
import { indexBehind } from '../search/index-content.ts'
import { communityInvitationStore, type InvitationRow } from './store.ts'

const INVITATION_DAYS = 7
/** The page of invitations into organizations; the token says what it is for. */
const INVITATION_PATH = '/join#token='
const MARK = 'c.'

type Invited = Pick<InvitationRow, 'email' | 'role'> &
	Partial<Pick<InvitationRow, 'ssoUserId' | 'avatarUrl' | 'headline' | 'bio'>>

export const isCommunityToken = (token: string): boolean => token.startsWith(MARK)

export const communityInvitationLinks: LinkKind = {
	purpose: 'community-invitation',
	mark: MARK,
	derivedFrom: (_, nonce) => nonce,
}

type Inviter = {
	/** Whose limits of a day this counts for; null for an API key. */
	senderId: number | null
	userId: number
	membershipId: number | null
	replaces: readonly CommunityRole[]
}

/** Into a community that `which` finds; undefined when there is none, or the person is in or banned. */
async function invite(
	deps: Deps,
	which: SQL,
	org: Sender['org'],
	inviter: Inviter,
	invited: Invited,
): Promise<InvitationRow | undefined> {
	await countInvitation(deps, { email: invited.email, senderId: inviter.senderId, org })
	const { token, tokenHash, sealed } = await makeLinkToken(
		requireSecrets(deps, 'invitations are'),
		communityInvitationLinks,
	)
	// Said now rather than in a mail that never comes.
	mailLink(deps.env, INVITATION_PATH, token)
	const { email, role, ssoUserId = null, avatarUrl = null, headline = null, bio = null } = invited
	const given = { email, role, ssoUserId, avatarUrl, headline, bio }
	const made = {
		...given,
		nonce: sealed,
		tokenHash,
		invitedByUserId: inviter.userId,
		invitedByMembershipId: inviter.membershipId,
		createdAt: deps.now,
		expiresAt: deps.now + INVITATION_DAYS * DAY,
	}
	const row = await communityInvitationStore(deps.db).insert(which, org?.id ?? null, made, inviter.replaces)
	if (row) deps.defer(relayEvents(deps))
	return row
}

const settledError = (more = '') =>
	new AppError('conflict', `this person is a member already, or banned${more}`)

export async function inviteToCommunity(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	invited: Invited,
): Promise<InvitationRow> {
	const which = sql`c.id = ${communityId} and c.org_id = ${caller.org.id}`
	// Acceptance checks the inviter's role again; for an API key, that of the person who made the key.
	const userId = caller.kind === 'person' ? caller.userId : caller.makerId
	const replaces: readonly CommunityRole[] = caller.kind === 'key' ? ['member'] : CommunityRole.options
	const senderId = caller.kind === 'person' ? caller.userId : null
	const row = await invite(
		deps,
		which,
		caller.org,
		{ senderId, userId, membershipId: null, replaces },
		invited,
	)
	if (row) return row
	await wantCommunity(deps, caller, communityId)
	throw settledError(invited.ssoUserId ? ', or another member has this ssoUserId' : '')
}

/** By a member of the community, to a role below their own. */
export async function inviteByMember(
	deps: Deps,
	{ communityId, userId, membershipId, role, org }: Member,
	invited: Invited,
): Promise<void> {
	refuseUnlessAbove(role, invited.role)
	const inviter = { senderId: userId, userId, membershipId, replaces: rolesBelow[role] }
	if (!(await invite(deps, sql`c.id = ${communityId}`, org, inviter, invited)))
		throw settledError(', or invited to a role that you may not give')
}

const noInvitation = () =>
	new AppError('not_found', 'this invitation is unknown, used or too old; ask for a new one')

/** The address that may use a token now. */
export async function findInvitedAddress({ db, now }: Deps, token: string): Promise<string | undefined> {
	return (await communityInvitationStore(db).findOpen(await sha256(token), now))?.email
}

/** Statements for a batch that makes the person. */
export async function joinCommunityByInvitation(
	deps: Deps,
	token: string,
	email: string,
	userId: SQL<number>,
) {
	if ((await findInvitedAddress(deps, token)) !== email) throw noInvitation()
	return communityInvitationStore(deps.db).join(await sha256(token), email, userId, deps.now)
}

export async function acceptCommunityInvitation(deps: Deps, person: Person, token: string) {
	if (!person.emailVerified) throw unverifiedAddressError()
	const { db, now } = deps
	const statements = communityInvitationStore(db).join(await sha256(token), person.email, person.userId, now)
	const [, , [used], [member]] = await db.batch(statements)
	if (!used || !member) throw noInvitation()
	deps.defer(relayEvents(deps))
	indexBehind(deps, 'member', member.id)
	const { communityId: id, name, slug } = used
	return { id, name, slug, memberId: member.id }
}

/** The link is made here, not at the door, so the token is not in the outbox, and in the database only sealed. */
export async function mailCommunityInvitation(
	deps: Deps,
	{ payload, orgId }: EventOf<'community.member_invited'>,
): Promise<void> {
	const found = await communityInvitationStore(deps.db).findForMail(payload.invitationId)
	// Taken back or used since: nothing to send any more.
	if (!found) return
	const { communityName: groupName, inviterName, role, email, id, createdAt } = found
	const stored = { id: String(id), sealed: found.nonce, tokenHash: found.tokenHash }
	const token = await requireLinkToken(
		requireSecrets(deps, 'invitations are'),
		communityInvitationLinks,
		stored,
	)
	const link = mailLink(deps.env, INVITATION_PATH, token)
	const unsubscribeUrl = await unsubscribeUrlFor(deps, email, { orgId, invitation: id })
	const mail = invitationMail({ groupName, inviterName, role, link, days: INVITATION_DAYS, unsubscribeUrl })
	await deps.send({
		type: 'mail.send',
		id: `community-invitation.${id}.${createdAt}`,
		to: email,
		...mail,
		unsubscribeUrl,
	})
}
