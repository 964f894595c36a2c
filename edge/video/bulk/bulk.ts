import type { z } from 'zod'
import type { BulkAction, BulkResult, changeAssets as operation } from '#schema/contract/video/bulk.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError } from '../../http/errors.ts'
import { auditStatement } from '../../platform/audit/audit.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { isPlainChange, makePlainChange } from './plain-changes.ts'
import { selectChunk } from './selection.ts'
import { chooseVerb } from './verbs.ts'

type Request = z.output<(typeof operation)['body']>

/** A chunk of a plain change takes a constant number of statements. */
const PLAIN_CHUNK = 500
/** A verb takes up to 25 statements for each asset, and D1 allows 1,000 in an invocation. */
const VERB_CHUNK = 25

/** Changes the next assets of a selection, and writes one entry in the audit log. */
export async function changeAssets(deps: Deps, caller: OrgCaller, { action, ...selection }: Request) {
	const limit = isPlainChange(action) ? PLAIN_CHUNK : VERB_CHUNK
	const { ids, cursor } = await selectChunk(deps, caller.org.id, selection, limit)
	const results: BulkResult[] = []
	try {
		if (isPlainChange(action)) results.push(...(await makePlainChange(deps, caller.org.id, ids, action)))
		else await runVerbs(deps, caller, action, ids, results)
	} finally {
		if (action.type === 'delete') deps.defer(queuePurges(deps))
		// Also after an unexpected error, since some assets may be changed.
		if (results.length > 0)
			await auditStatement(deps.work, {
				action: 'assets.bulk_changed',
				details: { type: action.type, ...countResults(results) },
			})
	}
	return { results, cursor }
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

function countResults(results: readonly BulkResult[]) {
	const count = (wanted: BulkResult['result']) => results.filter(({ result }) => result === wanted).length
	return { done: count('done'), unchanged: count('unchanged'), refused: count('refused') }
}
