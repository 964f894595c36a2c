import type { z } from 'zod'
import type { BulkAction, BulkResult, changeAssets as operation } from '#schema/contract/video/bulk.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { auditStatement } from '../../platform/audit/audit.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { isPlainChange, makePlainChange } from './plain-changes.ts'
import { selectChunk } from './selection.ts'
import { chooseVerb, startsJobs } from './verbs.ts'

type Request = z.output<(typeof operation)['body']>

/** A chunk of a plain change takes a constant number of statements. */
const PLAIN_CHUNK = 500
/** A verb takes up to 25 statements for each asset, and D1 allows 1,000 in an invocation. */
const VERB_CHUNK = 25

/**
 * Changes the next assets of a selection. Writes an audit entry with a plain change, with each cancellation, deletion or
 * move to or from the trash, and after starting jobs.
 */
export async function changeAssets(deps: Deps, caller: OrgCaller, { action, ...selection }: Request) {
	const limit = isPlainChange(action) ? PLAIN_CHUNK : VERB_CHUNK
	const { ids, cursor } = await selectChunk(deps, caller.org.id, selection, limit)
	if (isPlainChange(action)) {
		const details = { ...action, ...describeSelection(selection, ids) }
		return { results: await makePlainChange(deps, caller.org.id, ids, action, details), cursor }
	}
	const results: BulkResult[] = []
	try {
		await runVerbs(deps, caller, action, ids, results)
	} finally {
		if (action.type === 'delete') deps.defer(queuePurges(deps))
		// Written even after an unexpected error, because some jobs may have started.
		if (startsJobs(action)) await writeEntry(deps, action.type, results)
	}
	return { results, cursor }
}

/** Returns the details of a selection for the audit log, without texts that a person wrote. */
function describeSelection({ filter }: Omit<Request, 'action'>, assetIds: readonly string[]) {
	if (!filter) return { assetIds }
	const { q, ...rest } = filter
	return { filter: { ...rest, ...(q !== undefined && { hasText: true }) } }
}

async function writeEntry(deps: Deps, type: BulkAction['type'], results: readonly BulkResult[]) {
	const assetIds = results.filter(({ result }) => result === 'done').map(({ assetId }) => assetId)
	if (assetIds.length === 0) return
	const details = { type, assetIds, changed: assetIds.length }
	await auditStatement(deps.work, { action: 'assets.bulk_changed', details })
}

async function runVerbs(
	deps: Deps,
	caller: OrgCaller,
	action: BulkAction,
	ids: readonly string[],
	results: BulkResult[],
): Promise<void> {
	const act = chooseVerb(deps, caller, action)
	for (const assetId of ids)
		results.push(
			await act(assetId).then(
				(more) => ({ assetId, result: 'done' as const, ...more }),
				(error: unknown) => {
					if (!(error instanceof AppError)) throw error
					return { assetId, result: 'refused' as const, code: error.code, message: error.message }
				},
			),
		)
}
