import type { SQL } from 'drizzle-orm'
import type { OrgRole } from '#schema/contract/accounts/roles.ts'
import type { CommunityRole } from '#schema/contract/community/fields.ts'
import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { DAY } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { type LinkKind, makeLinkToken, requireLinkToken } from '../../platform/tokens/link-token.ts'
import { countInvitation, type Sender } from '../mail/invitation-limits.ts'
import { buildMailLink } from '../mail/link.ts'
import { createUnsubscribeUrl } from '../mail/refusals.ts'
import { invitationMail } from '../mail/templates.ts'

const INVITATION_DAYS = 7

/** The token follows the `#`. Browsers don't send that part, so no server logs it. */
const INVITATION_PATH = '/join#token='

/**
 * Makes the token and the times of an invitation, and counts it against the limits of its sender. Returns null, and
 * counts nothing, unless `mayInvite` holds.
 */
export async function draftInvitation(deps: Deps, links: LinkKind, sender: Sender, mayInvite: SQL) {
	const { token, tokenHash, sealed } = await makeLinkToken(requireSecrets(deps, 'invitations'), links)
	// Makes the request fail if no link can be made; otherwise only the mail would fail, unnoticed.
	buildMailLink(deps.env, INVITATION_PATH, token)
	if (!(await countInvitation(deps, sender, mayInvite))) return null
	return { nonce: sealed, tokenHash, createdAt: deps.now, expiresAt: deps.now + INVITATION_DAYS * DAY }
}

type Mailed = {
	/** Names the mail, so that it is sent once. */
	mailId: string
	orgId: string | null
	groupName: string
	inviterName: string | null
	invitation: {
		id: string | number
		email: string
		role: OrgRole | CommunityRole
		nonce: string
		tokenHash: string
	}
}

/** Makes the link here rather than in the request, so that neither the database nor the outbox stores the token. */
export async function mailInvitation(
	deps: Deps,
	links: LinkKind,
	{ mailId, orgId, groupName, inviterName, invitation: { id, email, role, nonce, tokenHash } }: Mailed,
): Promise<void> {
	const stored = { id: String(id), sealed: nonce, tokenHash }
	const token = await requireLinkToken(requireSecrets(deps, 'invitations'), links, stored)
	const link = buildMailLink(deps.env, INVITATION_PATH, token)
	const unsubscribeUrl = await createUnsubscribeUrl(deps, email, { orgId, invitation: id })
	const mail = invitationMail({ groupName, inviterName, role, link, days: INVITATION_DAYS, unsubscribeUrl })
	await deps.send({ type: 'mail.send', id: mailId, to: email, ...mail, unsubscribeUrl })
}

type Times = { acceptedAt: number | null; expiresAt: number }

export const invitationStatus = (
	{ acceptedAt, expiresAt }: Times,
	now: number,
): 'accepted' | 'expired' | 'open' =>
	acceptedAt !== null ? 'accepted' : expiresAt <= now ? 'expired' : 'open'

export const invitationNotFoundError = () =>
	new AppError('not_found', 'this invitation is unknown, used or expired; ask for a new one')
