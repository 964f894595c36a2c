import { Message } from '#schema/contract/messages.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { MINUTE } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { type DeadLetterRow, deadLetterStore } from './store.ts'

const UNSENT_AFTER_MS = 5 * MINUTE
const RETRIES_A_RUN = 100

/** Returns the message if it is still valid after redaction of its body. */
export const parseMessage = ({ body }: DeadLetterRow): Message | undefined => Message.safeParse(body).data

/** Retries a message. The request is stored first, so that the sweep sends it if this call crashes. */
export async function retryDeadLetter(deps: Deps, id: string): Promise<DeadLetterRow> {
	const store = deadLetterStore(deps.db)
	const row = await store.find(id)
	if (!row) throw notFoundError('dead letter')
	if (!parseMessage(row))
		throw new AppError(
			'conflict',
			"this message can't be retried, because parts of it were not stored; discard it",
		)
	const requested = await store.requestRetry(deps.work, id)
	if (!requested) throw new AppError('conflict', 'this message was already retried')
	await sendAgain(deps, requested)
	return { ...requested, retriedAt: deps.now }
}

async function sendAgain(deps: Deps, row: DeadLetterRow): Promise<void> {
	const message = parseMessage(row)
	if (message) await deps.send(message)
	await deadLetterStore(deps.db).markRetried(row.id, deps.now)
}

/** Sends requested retries that a crash left unsent. */
export async function sendUnsentRetries(deps: Deps): Promise<void> {
	const rows = await deadLetterStore(deps.db).listUnsent(deps.now - UNSENT_AFTER_MS, RETRIES_A_RUN)
	for (const row of rows) await sendAgain(deps, row)
}

export async function discardDeadLetter({ db, work }: Deps, id: string): Promise<void> {
	if (!(await deadLetterStore(db).discard(work, id))) throw notFoundError('dead letter')
}
