import { z } from 'zod'
import type { EventByType } from '#schema/contract/events.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { DAY } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { executeAccountDeletion } from '../execute/execution.ts'
import { draftRequest } from '../request/deletion.ts'
import { deletionStore } from '../store.ts'
import { type Erasure, ledgerStore } from './ledger-store.ts'

const FOLDER = 'erasures/'
const PAGE = 100
const PRUNE_AT_ONCE = 1_000

const Entry = z.object({
	id: z.string(),
	userId: z.int(),
	deleteContent: z.boolean(),
	completedAt: z.int(),
	purgeAfter: z.int(),
})

const keyOf = (id: string) => `${FOLDER}${id}.json`

/** Copies a ledger entry out of the database, because a restored backup lacks every erasure after it. */
export async function copyErasure(
	deps: Deps,
	{ payload: { requestId } }: EventByType<'account.erased'>,
): Promise<void> {
	const erasure = await ledgerStore(deps.db).find(requestId)
	if (!erasure) return
	await deps.env.bindings.VAULT.put(keyOf(requestId), JSON.stringify(Entry.parse(erasure)), {
		httpMetadata: { contentType: 'application/json' },
	})
}

/** Reads one page of the copied ledger and queues the deletion of every listed user who is in the database again. */
export async function replayErasures(deps: Deps, cursor: string | null) {
	const { db, work, env } = deps
	const page = await env.bindings.VAULT.list({ prefix: FOLDER, limit: PAGE, ...(cursor && { cursor }) })
	const erasures: Erasure[] = []
	for (const { key } of page.objects) {
		const object = await env.bindings.VAULT.get(key)
		if (object) erasures.push(Entry.parse(await object.json()))
	}
	const ledger = ledgerStore(db)
	await ledger.restore(work, erasures)
	const requestIds: string[] = []
	for (const { userId, erasureId } of await ledger.findReturned(erasures)) {
		const deleteContent = erasures.find(({ id }) => id === erasureId)?.deleteContent ?? false
		const reason = { deleteContent, withLink: false, because: { replay_of: erasureId } }
		requestIds.push((await executeNow(deps, userId, reason)).requestId)
	}
	return { read: erasures.length, requestIds, cursor: page.truncated ? page.cursor : null }
}

/** Executes a queued deletion to its end. The deletion of the last superadmin stays open. */
export async function executeReplayed(deps: Deps, requestId: string): Promise<void> {
	const store = deletionStore(deps.db)
	for (;;) {
		await executeAccountDeletion(deps, requestId)
		const request = await store.find(requestId)
		if (request?.status !== 'confirmed' || request.executingAt === null) return
	}
}

type Reason = { deleteContent: boolean; withLink: boolean; because: Record<string, unknown> }

/** Makes the person's open request due at once, or creates one that is due, and queues its execution. */
export async function executeNow(deps: Deps, userId: number, { because, ...options }: Reason) {
	const { db, work, now } = deps
	const store = deletionStore(db)
	const open = await store.findOpen(userId)
	const request = open ?? (await draftRequest(deps, userId, { graceMs: 0, ...options }))
	const entryWritten = auditIfChangedStatement(work, {
		action: 'account_deletion.expedited',
		orgId: null,
		target: { kind: 'deletion_request', id: request.id, userId },
	})
	if (open)
		await batch(db, {
			expedited: store.expediteStatement(open.id, now, options.withLink),
			logged: store.logIfChangedStatement(open.id, 'confirmed', { expedited: true, ...because }, now),
			entryWritten,
		})
	else
		await batch(db, {
			requested: store.insertRequestStatement(request),
			logged: store.logIfChangedStatement(request.id, 'requested', because, now),
			entryWritten,
		})
	await deps.send({ type: 'deletion.execute', requestId: request.id })
	return { requestId: request.id, created: open === undefined }
}

/** Deletes entries that are older than every backup, from the database and from the vault. */
export async function pruneErasures(deps: Deps): Promise<void> {
	const ledger = ledgerStore(deps.db)
	const ledgerMs = deps.env.vars.ERASURE_LEDGER_DAYS * DAY
	const ids = await ledger.listPurgeable(deps.now, ledgerMs, PRUNE_AT_ONCE)
	if (ids.length === 0) return
	await deps.env.bindings.VAULT.delete(ids.map(keyOf))
	await ledger.delete(ids)
}
