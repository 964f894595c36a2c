import type { EventByType, Recorded } from '#schema/contract/events.ts'
import type { Deps } from '../../platform/deps.ts'
import { newKeyNotice, newMemberNotice } from '../mail/notice-templates.ts'
import type { MailContent } from '../mail/templates.ts'
import { apiKeyStore } from './api-key-store.ts'
import { orgStore } from './store.ts'

type Addressee = { userId: number; email: string }

/** Sends one mail per event and recipient, even if the queue delivers the event or the mail twice. */
async function notify(deps: Deps, event: Recorded, addressees: readonly Addressee[], mail: MailContent) {
	for (const { userId, email } of addressees)
		await deps.send({ type: 'mail.send', id: `notice.${event.id}.${userId}`, to: email, ...mail })
}

export async function notifyOfKey(
	deps: Deps,
	event: EventByType<'org.api_key_created'> & Recorded,
): Promise<void> {
	const found = await apiKeyStore(deps.db).findForNotice(event.payload.keyId)
	// The key was deleted in the meantime, so the notice would be pointless.
	if (!found) return
	const addressees = await orgStore(deps.db).listAddressees(event.orgId, { also: found.createdByUserId })
	await notify(deps, event, addressees, newKeyNotice({ ...found, at: event.createdAt }))
}

export async function notifyOfMember(
	deps: Deps,
	event: EventByType<'org.member_joined'> & Recorded,
): Promise<void> {
	const { userId } = event.payload
	const store = orgStore(deps.db)
	const [org, member] = [await store.find(event.orgId, deps.now), await store.findMember(event.orgId, userId)]
	if (!org || !member) return
	const { name: memberName, email: memberEmail, role } = member
	const addressees = await store.listAddressees(org.id, { except: userId })
	const mail = newMemberNotice({ at: event.createdAt, orgName: org.name, memberName, memberEmail, role })
	await notify(deps, event, addressees, mail)
}
