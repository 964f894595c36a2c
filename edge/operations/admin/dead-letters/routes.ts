import * as contract from '#schema/contract/operations/admin/dead-letters.ts'
import { buildPage, decodeCursor } from '../../../http/page.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import { redactBody } from '../../../platform/outbox/dead-letters.ts'
import { discardDeadLetter, parseMessage, retryDeadLetter } from './dead-letters.ts'
import { type DeadLetterRow, deadLetterStore } from './store.ts'

const viewLetter = (row: DeadLetterRow): contract.DeadLetter => ({
	id: row.id,
	queue: row.queue,
	type: row.type,
	// Rows that predate the list of kept fields may contain others.
	body: redactBody(row.body),
	attempts: row.attempts,
	state: row.retryAt === null ? 'kept' : 'retried',
	retryable: row.retryAt === null && parseMessage(row) !== undefined,
	createdAt: toIso(row.createdAt),
	retriedAt: toIsoOrNull(row.retriedAt),
})

export const deadLetterRoutes: Route[] = [
	serve(contract.listDeadLetters, async ({ deps, query, request, headers }) => {
		const rows = await deadLetterStore(deps.db).list(query.limit, decodeCursor(query))
		return {
			data: buildPage(rows, query, (row) => [row.createdAt, row.id], request, headers).map(viewLetter),
		}
	}),

	serve(contract.retryDeadLetter, async ({ deps, params }) => ({
		data: viewLetter(await retryDeadLetter(deps, params.deadLetterId)),
	})),

	serve(contract.discardDeadLetter, async ({ deps, params: { deadLetterId: id } }) => {
		await discardDeadLetter(deps, id)
		return { data: { id, deleted: true as const } }
	}),
]
