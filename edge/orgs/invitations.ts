import type { SQL } from 'drizzle-orm'
import { OrgRole } from '#schema/contract/roles.ts'
import type { OrgCaller, Person } from '../http/caller.ts'
import { AppError } from '../http/errors.ts'
import { requireSecrets } from '../http/require-secrets.ts'
import { unverifiedAddressError } from '../http/verified-address.ts'
import { countInvitation } from '../mail/invitation-limits.ts'
import { mailLink } from '../mail/link.ts'
import { DAY } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { sha256 } from '../platform/digest.ts'
import { newId } from '../platform/ids.ts'
import { type LinkKind, makeLinkToken, requireLinkToken } from '../platform/link-token.ts'
import { recordEventIfChanged, relayEvents } from '../platform/outbox.ts'
import { type InvitationRow, invitationStore } from './invitation-store.ts'
import { limitOf, planLimit } from './limits.ts'
import { orgStore } from './store.ts'

export const INVITATION_DAYS = 7

/** Behind the `#`, the token is never sent to a server, so it stands in no log. */
export const INVITATION_PATH = '/join#token='

export const invitationLinks: LinkKind = {
	purpose: 'invitation-link',
	mark: '',
	derivedFrom: (id, nonce) => `${id}.${nonce}`,
}

/** Sealed at rest: whoever reads the database cannot make the link. */
export const invitationToken = (
	deps: Deps,
	{ id, nonce, tokenHash }: Pick<InvitationRow, 'id' | 'nonce' | 'tokenHash'>,
): Promise<string> =>
	requireLinkToken(requireSecrets(deps, 'invitations are'), invitationLinks, { id, sealed: nonce, tokenHash })

export async function inviteMember(
	deps: Deps,
	caller: OrgCaller,
	input: { email: string; role: OrgRole },
): Promise<InvitationRow> {
	const { db, now } = deps
	const { org } = caller
	if (!rolesInvitedBy(caller).includes(input.role))
		throw new AppError('forbidden', 'only an owner may invite an owner')
	const store = orgStore(db)
	if (await store.isMemberByEmail(org.id, input.email))
		throw new AppError('conflict', 'this person is a member already')
	const max = limitOf(org.tier, 'members')
	const senderId = caller.kind === 'person' ? caller.userId : null
	await countInvitation(deps, { email: input.email, senderId, org })

	const { token, tokenHash, sealed } = await makeLinkToken(
		requireSecrets(deps, 'invitations are'),
		invitationLinks,
	)
	// Said now rather than in a mail that never comes.
	mailLink(deps.env, INVITATION_PATH, token)
	const row: InvitationRow = {
		id: newId('inv', now),
		nonce: sealed,
		orgId: org.id,
		email: input.email,
		role: input.role,
		// Acceptance checks the inviter's role again; for an API key, that of the person who made the key.
		invitedByUserId: caller.kind === 'person' ? caller.userId : caller.makerId,
		tokenHash,
		createdAt: now,
		expiresAt: now + INVITATION_DAYS * DAY,
		acceptedAt: null,
	}
	const [made] = await db.batch([
		invitationStore(db).invite(row, max, rolesInvitedBy(caller)),
		recordEventIfChanged(db, now, {
			type: 'org.member_invited',
			orgId: org.id,
			payload: { invitationId: row.id },
		}),
	])
	if (made.length === 0) {
		if (max !== null && (await store.countSeats(org.id, now, input.email)) >= max)
			throw planLimit(org.tier, 'members')
		throw new AppError('conflict', 'this address is invited to a role that you may not give')
	}
	deps.defer(relayEvents(deps))
	return row
}

/** Which invitations a caller may make, replace and take back. */
const rolesInvitedBy = (caller: OrgCaller): readonly OrgRole[] => {
	if (caller.kind === 'key') return ['member']
	return caller.role === 'owner' ? OrgRole.options : ['admin', 'member']
}

export async function revokeInvitation(deps: Deps, caller: OrgCaller, id: string): Promise<void> {
	const store = invitationStore(deps.db)
	if (await store.revoke(caller.org.id, id, rolesInvitedBy(caller))) return
	const { invitation } = (await store.find(id)) ?? {}
	if (invitation?.orgId === caller.org.id && invitation.acceptedAt === null)
		throw new AppError('forbidden', 'this invitation is to a role that you may not give')
	throw new AppError('not_found', 'no such open invitation')
}

export async function findOpenInvitation(deps: Deps, token: string): Promise<InvitationRow | undefined> {
	return invitationStore(deps.db).findOpen(await sha256(token), deps.now)
}

/** The invitation that a token stands for, if this address may use it now. */
export async function requireInvitation(deps: Deps, token: string, email: string) {
	const store = orgStore(deps.db)
	const invitation = await findOpenInvitation(deps, token)
	const org = invitation && (await store.find(invitation.orgId))
	if (!org || invitation.email !== email)
		throw new AppError('not_found', 'this invitation is unknown, used or too old; ask for a new one')
	if (org.suspendedAt !== null) throw new AppError('org_suspended', 'this organization is suspended')
	const max = limitOf(org.tier, 'members')
	// An open invitation holds a seat already, so this only bites when the tier has changed since.
	if (max !== null && (await store.countSeats(org.id, deps.now)) > max) throw planLimit(org.tier, 'members')
	return { invitation, org }
}

/**
 * Statements for a batch: the invitation is used, the membership is there, the event is recorded, or none of it.
 * `userId` may be one that the same batch makes.
 */
export async function joinByInvitation(
	deps: Deps,
	token: string,
	email: string,
	userId: SQL<number> | number,
) {
	const { db, now } = deps
	const store = orgStore(db)
	const { invitation, org } = await requireInvitation(deps, token, email)
	const { role } = invitation
	const statements = [
		invitationStore(db).use(invitation.id, now),
		store.joinIfChanged(org.id, userId, role, now),
		recordEventIfChanged(db, now, { type: 'org.member_joined', orgId: org.id, payload: { userId, role } }),
	] as const
	return { org, role, statements }
}

export async function acceptInvitation(deps: Deps, person: Person, token: string) {
	if (!person.emailVerified) throw unverifiedAddressError()
	const { org, role, statements } = await joinByInvitation(deps, token, person.email, person.userId)
	const [used] = await deps.db.batch(statements)
	if (used.length === 0) throw new AppError('not_found', 'this invitation was used in the meantime')
	deps.defer(relayEvents(deps))
	return { org, role }
}
