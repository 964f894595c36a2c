import type { DomainEvent, EventType, Recorded } from '#schema/contract/events.ts'
import { Message, type MessageOf } from '#schema/contract/messages.ts'
import { consumeExecution } from './account-deletion/execution.ts'
import { copyErasure } from './account-deletion/ledger.ts'
import { mailCancellation, mailConfirmation, mailFarewell } from './account-deletion/notices.ts'
import { claimReminders, sendReminder } from './account-deletion/reminders.ts'
import { removeCommunityRows } from './community/communities/removal.ts'
import { mailCommunityInvitation } from './community/invitations/invitations.ts'
import { followBan, followLeaving, followRemoval } from './community/memberships/ending.ts'
import { tellMembers } from './community/notifications/tell.ts'
import { indexContent } from './community/search/index-content.ts'
import { notifyFormerAddress, notifyOfPassword, notifyOfSignIn } from './identity/notices.ts'
import { sendCode, sendMail } from './mail/consume.ts'
import { mailInvitation } from './orgs/events.ts'
import { notifyOfKey, notifyOfMember } from './orgs/notices.ts'
import { keepDeadLetter } from './platform/dead-letters.ts'
import type { Deps } from './platform/deps.ts'
import { findEvent, finishEvent } from './platform/outbox.ts'
import { purgeStorage } from './platform/storage-purge.ts'
import { advanceJob, giveUpJob } from './transcoding/advance.ts'
import { wakeFleet } from './transcoding/wake.ts'
import { endUploadOfDeleted, settleUpload, stopUploads } from './uploads/tus/followers.ts'

const DEAD = /-dead$/
const RETRY_BASE_SECONDS = 5
const RETRY_MAX_SECONDS = 3_600

/** One consumer for each type of message; each bears to get the same message twice. */
const consumers: { [T in Message['type']]: (deps: Deps, message: MessageOf<T>) => Promise<void> } = {
	'mail.send': sendMail,
	'code.send': sendCode,
	'event.happened': happened,
	'deletion.claim_reminders': claimReminders,
	'deletion.remind': sendReminder,
	'deletion.execute': consumeExecution,
	'deletion.farewell': mailFarewell,
	'job.advance': advanceJob,
	'storage.purge': purge,
	'community.remove': removeCommunityRows,
	'community.tell': tellMembers,
	'community.index': indexContent,
}

/** What follows from an event. An event with nothing to do is done at once. */
const followers: {
	[T in EventType]?: (deps: Deps, event: Extract<DomainEvent, { type: T }> & Recorded) => Promise<void>
} = {
	'org.member_invited': mailInvitation,
	'org.member_joined': notifyOfMember,
	'org.api_key_created': notifyOfKey,
	'community.member_invited': mailCommunityInvitation,
	'community.member_left': followLeaving,
	'community.member_banned': followBan,
	'community.member_removed': followRemoval,
	'account.deletion_requested': mailConfirmation,
	'account.deletion_cancelled': mailCancellation,
	'account.signed_in_anew': notifyOfSignIn,
	'account.password_changed': notifyOfPassword,
	'account.email_changed': notifyFormerAddress,
	'account.erased': copyErasure,
	'asset.queued': wakeFleet,
	'asset.uploaded': settleUpload,
	'asset.deleted': endUploadOfDeleted,
}

/** What follows when a message failed for good. */
const givenUp: { [T in Message['type']]?: (deps: Deps, message: MessageOf<T>) => Promise<void> } = {
	'job.advance': giveUpJob,
}

/** Whatever still writes there comes first: parts of an upload are in no list of objects. */
async function purge(deps: Deps, place: MessageOf<'storage.purge'>): Promise<void> {
	await stopUploads(deps, place)
	await purgeStorage(deps, place)
}

async function happened(deps: Deps, { id }: MessageOf<'event.happened'>): Promise<void> {
	const row = await findEvent(deps.db, id)
	if (!row) return
	const follow = followers[row.type as EventType] as
		| ((deps: Deps, event: unknown) => Promise<void>)
		| undefined
	await follow?.(deps, row)
	await finishEvent(deps.db, id, deps.now)
}

/** 5 s, 10 s, 20 s … up to an hour. */
export const retryDelaySeconds = (attempts: number): number =>
	Math.min(RETRY_BASE_SECONDS * 2 ** (attempts - 1), RETRY_MAX_SECONDS)

/** Each message stands for itself: one that fails is retried later, the others of its batch are not. */
export async function consumeBatch(batch: MessageBatch, deps: Deps): Promise<void> {
	if (DEAD.test(batch.queue)) return keepDeadLetters(batch, deps)
	for (const message of batch.messages) {
		const parsed = Message.safeParse(message.body)
		const log = deps.log.with({
			queueMessageId: message.id,
			type: parsed.data?.type,
			attempt: message.attempts,
		})
		try {
			if (!parsed.success) throw new Error('the message has no form that this version knows')
			const consume = consumers[parsed.data.type] as (deps: Deps, message: unknown) => Promise<void>
			await consume({ ...deps, log }, parsed.data)
			message.ack()
		} catch (error) {
			log.error('message failed', error)
			message.retry({ delaySeconds: retryDelaySeconds(message.attempts) })
		}
	}
}

/**
 * A code or the text of a mail is worth nothing after days of retries and stays out of the database; so do addresses,
 * since these rows are found by nobody whose account is deleted.
 */
const withoutSecrets = (body: unknown): unknown => {
	const { code, subject, text, html, to, email, newEmail, unsubscribeUrl, ...rest } = (body ?? {}) as Record<
		string,
		unknown
	>
	return rest
}

async function keepDeadLetters(batch: MessageBatch, deps: Deps): Promise<void> {
	for (const message of batch.messages) {
		const type = String((message.body as { type?: unknown } | null)?.type ?? 'unknown')
		deps.log.error('message given up', new Error('too many failures'), { queueMessageId: message.id, type })
		await keepDeadLetter(deps.db, {
			messageId: message.id,
			queue: batch.queue,
			type,
			body: withoutSecrets(message.body),
			attempts: message.attempts,
			createdAt: deps.now,
		})
		await followDeadLetter(message.body, deps)
		message.ack()
	}
}

async function followDeadLetter(body: unknown, deps: Deps): Promise<void> {
	const { data } = Message.safeParse(body)
	const follow = data && (givenUp[data.type] as ((deps: Deps, message: unknown) => Promise<void>) | undefined)
	await follow?.(deps, data)
}
