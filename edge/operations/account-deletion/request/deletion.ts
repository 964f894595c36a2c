import type { Person } from '../../../http/caller.ts'
import { AppError } from '../../../http/errors.ts'
import { batch } from '../../../platform/database/batch.ts'
import { newId } from '../../../platform/database/ids.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import type { Deps } from '../../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import { type DeletionRequestRow, deletionStore } from '../store.ts'
import { buildCancellationLink } from './links.ts'
import { GRACE_MS } from './schedule.ts'
import { hashToken, makeCancellationToken } from './token.ts'

const unusableRequestError = () =>
	new AppError('not_found', 'This cancellation link is unknown, or its request is no longer open.')

/** Returns the row of a request that is confirmed now. `withLink` adds a cancellation token for the mails. */
export async function draftRequest(
	deps: Deps,
	userId: number,
	options: { graceMs: number; deleteContent: boolean; withLink: boolean },
): Promise<DeletionRequestRow> {
	const { now } = deps
	const id = newId('del', now)
	const link = options.withLink ? await makeCancellationToken(deps) : null
	const scheduledFor = now + options.graceMs
	return {
		id,
		userId,
		status: 'confirmed',
		deleteContent: options.deleteContent,
		requestedAt: now,
		scheduledFor,
		confirmedAt: now,
		cancelledAt: null,
		completedAt: null,
		executingAt: null,
		dueAt: scheduledFor,
		tokenNonce: link?.sealed ?? null,
		cancellationTokenHash: link?.tokenHash ?? null,
	}
}

export async function requestDeletion(
	deps: Deps,
	person: Person,
	input: { confirm_email: string; delete_content: boolean },
	ip: string,
): Promise<DeletionRequestRow> {
	const { db, work, now } = deps
	if (input.confirm_email !== person.email)
		throw new AppError('validation', 'confirm_email: is not the email address of this account', {
			fields: { confirm_email: ['This is not the email address of your account.'] },
		})
	const row = await draftRequest(deps, person.userId, {
		graceMs: GRACE_MS,
		deleteContent: input.delete_content,
		withLink: true,
	})
	// Makes the request fail if no link can be made; otherwise only the mail would fail, unnoticed.
	await buildCancellationLink(deps, row)
	const store = deletionStore(db)
	try {
		const { requestInserted } = await batch(db, {
			requestInserted: store.insertRequestStatement(row),
			actionLogged: store.logIfChangedStatement(row.id, 'requested', { ip_address: ip }, now),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'account.deletion_requested',
				orgId: null,
				payload: { requestId: row.id },
			}),
		})
		if (requestInserted.length === 0)
			throw new AppError('unauthorized', 'the session has ended; sign in again')
	} catch (error) {
		if (isUniqueViolation(error))
			throw new AppError('validation', 'You have already asked to delete your account.')
		throw error
	}
	return row
}

/** Adds a request that a restored database lacks. Its link works again. */
export async function restoreRequest(deps: Deps, row: DeletionRequestRow): Promise<void> {
	const { db, now } = deps
	const store = deletionStore(db)
	await batch(db, {
		requestInserted: store.restoreRequestStatement(row),
		actionLogged: store.logIfChangedStatement(row.id, 'requested', { restored: true }, now),
	})
}

/** Cancels a deletion. Throws 404 for an unknown or closed request and 403 for another person's. */
export async function cancelDeletion(deps: Deps, person: Person, token: string, ip: string): Promise<void> {
	const { db, work, now } = deps
	const store = deletionStore(db)
	const row = await store.findConfirmedByToken(await hashToken(token))
	if (!row) throw unusableRequestError()
	if (row.userId !== person.userId)
		throw new AppError('forbidden', 'This cancellation link belongs to another account.')
	const { requestCancelled } = await batch(db, {
		requestCancelled: store.cancelStatement(row.id, person.userId, now),
		actionLogged: store.logIfChangedStatement(row.id, 'cancelled', { ip_address: ip }, now),
		eventRecorded: recordEventIfChangedStatement(work, {
			type: 'account.deletion_cancelled',
			orgId: null,
			payload: { requestId: row.id },
		}),
	})
	// A concurrent call cancelled the request, or its execution began.
	if (requestCancelled.length === 0) throw unusableRequestError()
}

export const findOpenDeletion = (deps: Deps, person: Person): Promise<DeletionRequestRow | undefined> =>
	deletionStore(deps.db).findOpen(person.userId)
