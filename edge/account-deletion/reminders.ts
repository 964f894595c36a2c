import type { ClaimReminders, SendReminder } from '#schema/contract/messages.ts'
import { sendMail } from '../mail/consume.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { cancellationLink } from './links.ts'
import { finalWarningMail, reminderMail } from './mails.ts'
import { daysRemaining, isDue, type ReminderKind, reminderKinds } from './schedule.ts'
import { deletionStore } from './store.ts'

/** Messages of one invocation, for each kind. */
const RUN_ROWS = 200
/** Longer than the queue tries a message for. */
const LOST_AFTER_MS = 30 * MINUTE

/**
 * Daily at 08:00 UTC. Each reminder is claimed in the database before a message goes out for it, so it may run as often
 * as it likes, and a day on which it did not run is made up for by the next one.
 */
export async function processDeletionReminders(deps: Deps): Promise<void> {
	const store = deletionStore(deps.db)
	let isMore = false
	for (const kind of reminderKinds) {
		const claimed = await store.claimReminders(kind, deps.now, RUN_ROWS)
		for (const requestId of claimed) await deps.send({ type: 'deletion.remind', requestId, kind })
		isMore ||= claimed.length === RUN_ROWS
	}
	if (isMore) await deps.send({ type: 'deletion.claim_reminders', at: deps.now })
}

export const claimReminders = (deps: Deps, { at }: ClaimReminders): Promise<void> =>
	processDeletionReminders({ ...deps, now: at })

/** Claimed reminders whose message never came to anything. */
export async function handOverReminders(deps: Deps): Promise<void> {
	const { db, now } = deps
	const lost = await deletionStore(db).reclaimReminders(now, now - LOST_AFTER_MS, RUN_ROWS)
	for (const { requestId, kind } of lost) await deps.send({ type: 'deletion.remind', requestId, kind })
}

/** Sends nothing to someone who has cancelled, or whose next reminder is due already. */
export async function sendReminder(deps: Deps, { requestId, kind }: SendReminder): Promise<void> {
	const { db, now } = deps
	const store = deletionStore(db)
	const found = await store.findReminder(requestId, kind)
	if (!found || !isDue(kind, found.request.scheduledFor, now)) return
	const { request, email } = found
	const days = daysRemaining(request, now)
	const link = await cancellationLink(deps, request)
	await sendMail(deps, {
		type: 'mail.send',
		id: mailId(requestId, kind),
		to: email,
		...(kind === 'final'
			? finalWarningMail({ link, scheduledFor: request.scheduledFor })
			: reminderMail({ link, days, scheduledFor: request.scheduledFor })),
	})
	await db.batch([
		store.markReminded(requestId, kind, now),
		store.logIfChanged(requestId, 'reminder_sent', { days_remaining: days, kind }, now),
	])
}

/** The same for every try, so that a mail server can tell a repetition. */
export const mailId = (
	requestId: string,
	kind: ReminderKind | 'confirmation' | 'cancellation' | 'completed',
) => `deletion/${requestId}/${kind}`
