import type { EventByType, Recorded } from '#schema/contract/events.ts'
import { MINUTE } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import { disabledWebhookNotice, failingWebhookNotice } from '../mail/notice-templates.ts'
import type { MailContent } from '../mail/templates.ts'
import { orgStore } from '../orgs/store.ts'
import { SWITCH_OFF_MS, WARNING_MS } from './deliveries/next-attempt.ts'
import { type EndpointRow, endpointStore } from './endpoints/endpoint-store.ts'

/** A short outage, such as a restart, needs no mail. */
const FAILING_NOTICE_MS = 30 * MINUTE
const MAX_NOTICES_A_RUN = 200

type EndpointEvent = EventByType<'webhook.failing' | 'webhook.disabled_soon' | 'webhook.disabled'> & Recorded

/** Sends one mail per event and owner, even if the queue delivers the event or the mail twice. */
async function notifyOwners(
	deps: Deps,
	event: EndpointEvent,
	write: (endpoint: EndpointRow, orgName: string) => MailContent | null,
): Promise<void> {
	const store = orgStore(deps.db)
	const endpoint = await endpointStore(deps.db).find(event.orgId, event.payload.endpointId)
	const org = await store.find(event.orgId, deps.now)
	const mail = endpoint && org ? write(endpoint, org.name) : null
	if (!mail) return
	for (const { userId, email } of await store.listAddressees(event.orgId, {}))
		await deps.send({ type: 'mail.send', id: `notice.${event.id}.${userId}`, to: email, ...mail })
}

export const notifyOfFailing = (
	deps: Deps,
	event: EventByType<'webhook.failing' | 'webhook.disabled_soon'> & Recorded,
): Promise<void> =>
	notifyOwners(deps, event, ({ url, failingSince }, orgName) =>
		// The endpoint works again.
		failingSince === null
			? null
			: failingWebhookNotice({ orgName, url, failingSince, isLast: event.type === 'webhook.disabled_soon' }),
	)

export const notifyOfDisabled = (
	deps: Deps,
	event: EventByType<'webhook.disabled'> & Recorded,
): Promise<void> =>
	notifyOwners(deps, event, ({ url, statusReason }, orgName) =>
		statusReason === null
			? null
			: disabledWebhookNotice({ at: event.createdAt, orgName, url, reason: statusReason }),
	)

/** Records that endpoints fail, and again a day before deliveries are switched off. Their owners then get a mail. */
export async function reportFailingEndpoints(deps: Deps): Promise<void> {
	await report(deps, 'webhook.disabled_soon', deps.now - SWITCH_OFF_MS + WARNING_MS, 2)
	await report(deps, 'webhook.failing', deps.now - FAILING_NOTICE_MS, 1)
}

async function report(
	{ db, work }: Deps,
	type: 'webhook.failing' | 'webhook.disabled_soon',
	before: number,
	notice: number,
): Promise<void> {
	const store = endpointStore(db)
	for (const { id, orgId } of await store.listNeedingNotice(before, notice, MAX_NOTICES_A_RUN))
		await batch(db, {
			noticeNoted: store.noteNoticeStatement(id, before, notice),
			eventRecorded: recordEventIfChangedStatement(work, { type, orgId, payload: { endpointId: id } }),
		})
}
