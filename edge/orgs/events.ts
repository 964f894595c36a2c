import type { EventOf } from '#schema/contract/events.ts'
import { mailLink } from '../mail/link.ts'
import { unsubscribeUrlFor } from '../mail/refusals.ts'
import { invitationMail } from '../mail/templates.ts'
import type { Deps } from '../platform/deps.ts'
import { invitationStore } from './invitation-store.ts'
import { INVITATION_DAYS, INVITATION_PATH, invitationToken } from './invitations.ts'

/** The link is made here, not at the door, so the token rests neither in the database nor in the outbox. */
export async function mailInvitation(
	deps: Deps,
	event: EventOf<'org.member_invited'> & { id: string },
): Promise<void> {
	const found = await invitationStore(deps.db).find(event.payload.invitationId)
	// Taken back, replaced or used since: nothing to send any more.
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
