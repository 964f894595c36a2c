import type { ExecuteDeletion } from '#schema/contract/messages.ts'
import { handOverRemovals } from '../community/communities/removal.ts'
import { closeStreamsOf } from '../community/notifications/streams-door.ts'
import { DAY, MINUTE } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { relayEvents } from '../platform/outbox.ts'
import { handOverPurges } from '../platform/storage-purge.ts'
import { eraseBatch, portionsOf } from './erase.ts'
import type { Leaver } from './leaver.ts'
import { eraseStep } from './portion.ts'
import { handOverReminders } from './reminders.ts'
import { type DeletionRequestRow, deletionStore } from './store.ts'

/** Longer than the queue tries a message for; then the sweep hands it over again. */
const LEASE_MS = 30 * MINUTE
const SWEEP_ROWS = 200
/** Steps of one message. D1 takes 1,000 queries of an invocation, and a step has up to seven. */
const MAX_STEPS = 100
/** No batch takes longer, so by then it is decided whether there is anything to say farewell to. */
const FAREWELL_DELAY_SECONDS = 60

/** Every ten minutes: whatever is due and was not done yet, or got lost. Judged by state, so harmless to repeat. */
export async function sweepDeletions(deps: Deps): Promise<void> {
	const due = await deletionStore(deps.db).claimDue(deps.now, LEASE_MS, SWEEP_ROWS)
	for (const requestId of due) await deps.send({ type: 'deletion.execute', requestId })
	await handOverReminders(deps)
}

export const consumeExecution = (deps: Deps, { requestId }: ExecuteDeletion): Promise<void> =>
	executeAccountDeletion(deps, requestId)

/**
 * Carries out a confirmed request; for any other it does nothing. Whether its time has come is the sweep's question.
 * A run that dies is taken up by the next one: what went stays gone, and cancelling ended when the first one began.
 */
export async function executeAccountDeletion(deps: Deps, requestId: string): Promise<void> {
	const { db, now, log } = deps
	const store = deletionStore(db)
	const request = await store.begin(requestId, now)
	if (!request) return explainRefusal(deps, await store.find(requestId))
	const user = await store.findUser(request.userId)
	if (!user) throw new Error('a confirmed request names a person who is not there')
	const leaver: Leaver = { requestId, deleteContent: request.deleteContent, ...user }

	// Before the memberships go: they say where the person may be listening.
	await closeStreamsOf(deps, user.userId).catch((error) => log.error('could not close streams', error))
	const portions = portionsOf(db, leaver, now)
	let steps = 0
	for (const portion of portions)
		while (await eraseStep(db, portion))
			if (++steps >= MAX_STEPS) return deps.send({ type: 'deletion.execute', requestId })

	// Who comes back out of a backup and goes again has been told the first time.
	if (request.tokenNonce !== null)
		await deps.send(
			{ type: 'deletion.farewell', requestId, email: user.email },
			{ delaySeconds: FAREWELL_DELAY_SECONDS },
		)
	try {
		await db.batch(eraseBatch(db, leaver, portions, now, deps.env.vars.ERASURE_LEDGER_DAYS * DAY))
	} catch (error) {
		const after = await store.find(requestId)
		// Another run was faster; its batch did everything.
		if (after?.status === 'completed') return
		if (after && (await store.isLastSuperadmin(request.userId))) {
			await store.stepBack(requestId)
			return explainRefusal(deps, after)
		}
		throw error
	}
	log.info('account deleted', { requestId, steps })
	deps.defer(relayEvents(deps))
	deps.defer(handOverPurges(deps))
	deps.defer(handOverRemovals(deps))
}

function explainRefusal({ log }: Deps, request: DeletionRequestRow | undefined): void {
	if (request?.status !== 'confirmed') {
		log.info('nothing to execute', { requestId: request?.id, status: request?.status ?? 'unknown' })
		return
	}
	log.error(
		'the last superadmin cannot be deleted',
		new Error('make someone else a superadmin; the deletion then goes on by itself'),
		{ requestId: request.id },
	)
}
