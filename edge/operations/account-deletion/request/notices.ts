import type { EventByType } from '#schema/contract/events.ts'
import type { SendFarewell } from '#schema/contract/messages.ts'
import { sendMail } from '../../../accounts/mail/consume.ts'
import type { Deps } from '../../../platform/deps.ts'
import { deletionStore } from '../store.ts'
import { buildCancellationLink } from './links.ts'
import { cancellationMail, completedMail, confirmationMail } from './mails.ts'
import { formatMailId } from './reminders.ts'
import { computeDaysRemaining } from './schedule.ts'

/** Mails the confirmation, unless the request was cancelled or executed before this message arrived. */
export async function mailConfirmation(
	deps: Deps,
	{ payload: { requestId } }: EventByType<'account.deletion_requested'>,
): Promise<void> {
	const found = await findRecipient(deps, requestId)
	if (found?.request.status !== 'confirmed' || found.request.tokenNonce === null) return
	const { request, email } = found
	await sendMail(deps, {
		type: 'mail.send',
		id: formatMailId(requestId, 'confirmation'),
		to: email,
		...confirmationMail({
			link: await buildCancellationLink(deps, request),
			// Counted from the request: the mail is sent a second later and must not say 29 days.
			days: computeDaysRemaining(request, Math.min(deps.now, request.requestedAt)),
			scheduledFor: request.scheduledFor,
		}),
	})
}

export async function mailCancellation(
	deps: Deps,
	{ payload: { requestId } }: EventByType<'account.deletion_cancelled'>,
): Promise<void> {
	const found = await findRecipient(deps, requestId)
	if (found?.request.status !== 'cancelled') return
	await sendMail(deps, {
		type: 'mail.send',
		id: formatMailId(requestId, 'cancellation'),
		to: found.email,
		...cancellationMail(),
	})
}

async function findRecipient(deps: Deps, requestId: string) {
	if (!deps.env.vars.ACCOUNT_DELETION_NOTICES) return
	const store = deletionStore(deps.db)
	const request = await store.find(requestId)
	const user = request?.userId ? await store.findUser(request.userId) : undefined
	return request && user?.email != null ? { request, email: user.email } : undefined
}

/** Sends nothing if the final batch failed after queueing this message; the run that succeeds queues its own. */
export async function mailCompletion(deps: Deps, { requestId, email }: SendFarewell): Promise<void> {
	const request = await deletionStore(deps.db).find(requestId)
	if (request?.status !== 'completed')
		return deps.log.info('farewell not sent: the account is not deleted', { requestId })
	await sendMail(deps, {
		type: 'mail.send',
		id: formatMailId(requestId, 'completed'),
		to: email,
		...completedMail(),
	})
}
