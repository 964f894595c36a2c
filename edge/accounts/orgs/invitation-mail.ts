import type { EventByType } from '#schema/contract/events.ts'
import type { Deps } from '../../platform/deps.ts'
import { mailLink } from '../mail/link.ts'
import { unsubscribeUrlFor } from '../mail/refusals.ts'
import { invitationMail } from '../mail/templates.ts'
import { invitationStore } from './invitation-store.ts'
import { INVITATION_DAYS, INVITATION_PATH, invitationToken } from './invitations.ts'

/** Makes the link here rather than in the request, so that neither the database nor the outbox stores the token. */
export async function mailInvitation(
	deps: Deps,
	event: EventByType<'org.member_invited'> & { id: string },
): Promise<void> {
	const found = await invitationStore(deps.db).find(event.payload.invitationId)
	// The invitation was cancelled, replaced or used since the event.
	if (!found || found.invitation.acceptedAt !== null) return
	const link = mailLink(deps.env, INVITATION_PATH, await invitationToken(deps, found.invitation))
	const { id, email } = found.invitation
	const unsubscribeUrl = await unsubscribeUrlFor(deps, email, { orgId: event.orgId, invitation: id })
	const mail = invitationMail({
		unsubscribeUrl,
		groupName: found.orgName,
		inviterName: found.inviterName,
		role: found.invitation.role,
		link,
		days: INVITATION_DAYS,
	})
	await deps.send({
		type: 'mail.send',
		id: `invitation.${id}`,
		to: email,
		...mail,
		unsubscribeUrl,
	})
}
