import type { EventByType } from '#schema/contract/events.ts'
import { mailLink } from '../../accounts/mail/link.ts'
import { unsubscribeUrlFor } from '../../accounts/mail/refusals.ts'
import { invitationMail } from '../../accounts/mail/templates.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import type { Deps } from '../../platform/deps.ts'
import { requireLinkToken } from '../../platform/tokens/link-token.ts'
import { communityInvitationLinks, INVITATION_DAYS, INVITATION_PATH } from './invitations.ts'
import { communityInvitationStore } from './store.ts'

/**
 * Mails the link. Builds the link only here, so that the outbox never contains the token, and the database only its sealed
 * form.
 */
export async function mailCommunityInvitation(
	deps: Deps,
	{ payload, orgId }: EventByType<'member.invited'>,
): Promise<void> {
	const found = await communityInvitationStore(deps.db).findForMail(payload.invitationId)
	// Undefined if the invitation was revoked or used before the mail was sent.
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
