import type { EventOf } from '#schema/contract/events.ts'
import type { SendFarewell } from '#schema/contract/messages.ts'
import { sendMail } from '../mail/consume.ts'
import type { Deps } from '../platform/deps.ts'
import { cancellationLink } from './links.ts'
import { cancellationMail, completedMail, confirmationMail } from './mails.ts'
import { mailId } from './reminders.ts'
import { daysRemaining } from './schedule.ts'
import { deletionStore } from './store.ts'

/** After a request. Nothing goes out for one that was cancelled or carried out before the mail got its turn. */
export async function mailConfirmation(
	deps: Deps,
	{ payload: { requestId } }: EventOf<'account.deletion_requested'>,
): Promise<void> {
	const found = await findAddressee(deps, requestId)
	if (found?.request.status !== 'confirmed' || found.request.tokenNonce === null) return
	const { request, email } = found
	await sendMail(deps, {
		type: 'mail.send',
		id: mailId(requestId, 'confirmation'),
		to: email,
		...confirmationMail({
			link: await cancellationLink(deps, request),
			// Of when it was asked for: the mail comes a second later and should not say 29.
			days: daysRemaining(request, Math.min(deps.now, request.requestedAt)),
			scheduledFor: request.scheduledFor,
		}),
	})
}

export async function mailCancellation(
	deps: Deps,
	{ payload: { requestId } }: EventOf<'account.deletion_cancelled'>,
): Promise<void> {
	const found = await findAddressee(deps, requestId)
	if (found?.request.status !== 'cancelled') return
	await sendMail(deps, {
		type: 'mail.send',
		id: mailId(requestId, 'cancellation'),
		to: found.email,
		...cancellationMail(),
	})
}

async function findAddressee(deps: Deps, requestId: string) {
	if (!deps.env.vars.ACCOUNT_DELETION_NOTICES) return
	const store = deletionStore(deps.db)
	const request = await store.find(requestId)
	const user = request?.userId ? await store.findUser(request.userId) : undefined
	return request && user && { request, email: user.email }
}

/** The message left before the final batch did; where that one failed, the run that succeeds sends its own. */
export async function mailFarewell(deps: Deps, { requestId, email }: SendFarewell): Promise<void> {
	const request = await deletionStore(deps.db).find(requestId)
	if (request?.status !== 'completed') return deps.log.info('no farewell: not deleted', { requestId })
	await sendMail(deps, {
		type: 'mail.send',
		id: mailId(requestId, 'completed'),
		to: email,
		...completedMail(),
	})
}
