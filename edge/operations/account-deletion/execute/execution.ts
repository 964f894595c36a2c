import type { ExecuteDeletion } from '#schema/contract/messages.ts'
import { removalSweep } from '../../../community/communities/removal-store.ts'
import { closeUserStreams } from '../../../community/notifications/notification-streams.ts'
import { DAY } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { DepartingUser } from '../../../platform/personal-data.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { queueDue } from '../../../platform/work/sweep.ts'
import { recordLastErasure } from '../ledger/last-erasure.ts'
import { type DeletionRequestRow, deletionStore } from '../store.ts'
import { executeErasure, listErasureSteps } from './erase.ts'
import { eraseStep } from './erasure-step.ts'

/** Steps per message. D1 allows 1,000 queries per invocation, and a step has up to seven. */
const MAX_STEPS = 100
/** Longer than the final batch takes, so that its outcome is known when the farewell is due. */
const FAREWELL_DELAY_SECONDS = 60

export const consumeExecution = (deps: Deps, { requestId }: ExecuteDeletion): Promise<void> =>
	executeAccountDeletion(deps, requestId)

/**
 * Executes a confirmed request; other requests are only logged. Only the sweep checks whether a request is due. If a run
 * dies, the next one continues, because erased rows stay erased and the request can't be cancelled once a run has begun.
 */
export async function executeAccountDeletion(deps: Deps, requestId: string): Promise<void> {
	const { db, work, now, log } = deps
	const store = deletionStore(db)
	const request = await store.begin(requestId, now)
	if (!request) return logNotExecuted(deps, await store.find(requestId))
	const user = await store.findUser(request.userId)
	if (!user) throw new Error('a confirmed deletion request belongs to no user')
	const departingUser: DepartingUser = { requestId, deleteContent: request.deleteContent, ...user }

	await recordLastErasure(deps)
	// Must run before the memberships are erased: they name the communities with open streams.
	await closeUserStreams(deps, user.userId).catch((error) => log.error('could not close streams', error))
	const steps = listErasureSteps(db, deps.contributions.personalData, departingUser, now)
	let batches = 0
	for (const step of steps)
		while (await eraseStep(db, step))
			if (++batches >= MAX_STEPS) return deps.send({ type: 'deletion.execute', requestId })

	// A replay after a restore has no token: the person got the farewell the first time.
	if (request.tokenNonce !== null && user.email !== null)
		await deps.send(
			{ type: 'deletion.farewell', requestId, email: user.email },
			{ delaySeconds: FAREWELL_DELAY_SECONDS },
		)
	try {
		await db.batch(executeErasure(work, departingUser, steps, deps.env.vars.ERASURE_LEDGER_DAYS * DAY))
	} catch (error) {
		const after = await store.find(requestId)
		// A concurrent run has committed its batch.
		if (after?.status === 'completed') return
		if (after && (await store.isLastSuperadmin(request.userId))) {
			await store.undoBegin(requestId)
			return logNotExecuted(deps, after)
		}
		throw error
	}
	log.info('account deleted', { requestId, steps: batches })
	deps.defer(queuePurges(deps))
	deps.defer(queueDue(deps, removalSweep))
}

function logNotExecuted({ log }: Deps, request: DeletionRequestRow | undefined): void {
	if (request?.status !== 'confirmed') {
		log.info('deletion not executed: the request is not confirmed', {
			requestId: request?.id,
			status: request?.status ?? 'unknown',
		})
		return
	}
	log.error(
		"the last superadmin can't be deleted",
		new Error('make someone else a superadmin; the deletion then continues'),
		{ requestId: request.id },
	)
}
