import type { ClaimReminders, SendReminder } from '#schema/contract/messages.ts'
import { sendMail } from '../../../accounts/mail/consume.ts'
import type { Deps } from '../../../platform/deps.ts'
import { deletionStore } from '../store.ts'
import { buildCancellationLink } from './links.ts'
import { finalWarningMail, reminderMail } from './mails.ts'
import { computeDaysRemaining, isDue, type ReminderKind, reminderKinds } from './schedule.ts'

/** The number of messages per invocation and kind. */
const RUN_ROWS = 200

/**
 * Queues the reminders that are due; runs daily at 08:00 UTC. Claims each reminder in the database before it queues a
 * message, so repeated runs are harmless, and the next run makes up for a missed day.
 */
export async function processDeletionReminders(deps: Deps): Promise<void> {
	const store = deletionStore(deps.db)
	let hasMore = false
	for (const kind of reminderKinds) {
		const claimed = await store.claimReminders(kind, deps.now, RUN_ROWS)
		for (const requestId of claimed) await deps.send({ type: 'deletion.remind', requestId, kind })
		hasMore ||= claimed.length === RUN_ROWS
	}
	if (hasMore) await deps.send({ type: 'deletion.claim_reminders', at: deps.now })
}

export const claimReminders = (deps: Deps, { at }: ClaimReminders): Promise<void> =>
	processDeletionReminders({ ...deps, now: at })

/** Sends nothing if the deletion was cancelled or the next reminder is already due. */
export async function sendReminder(deps: Deps, { requestId, kind }: SendReminder): Promise<void> {
	const { db, now } = deps
	const store = deletionStore(db)
	const found = await store.findReminder(requestId, kind)
	if (!found || !isDue(kind, found.request.scheduledFor, now)) return
	const { request, email } = found
	const days = computeDaysRemaining(request, now)
	const link = await buildCancellationLink(deps, request)
	await sendMail(deps, {
		type: 'mail.send',
		id: formatMailId(requestId, kind),
		to: email,
		...(kind === 'final'
			? finalWarningMail({ link, scheduledFor: request.scheduledFor })
			: reminderMail({ link, days, scheduledFor: request.scheduledFor })),
	})
	await db.batch([
		store.markRemindedStatement(requestId, kind, now),
		store.logIfChangedStatement(requestId, 'reminder_sent', { days_remaining: days, kind }, now),
	])
}

/** Returns the same id on every attempt, so that a mail server recognizes a duplicate. */
export const formatMailId = (
	requestId: string,
	kind: ReminderKind | 'confirmation' | 'cancellation' | 'completed',
) => `deletion/${requestId}/${kind}`
