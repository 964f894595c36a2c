import { call } from '../../../src/call.ts'
import { type ListAssetsInput, listAssets } from '../../../src/generated/operations.ts'
import { connect } from '../../frame/connect.ts'
import type { Invocation } from '../../frame/invocation.ts'
import { printRecords } from '../../frame/records.ts'
import { take } from '../../frame/take.ts'

type Options = {
	limit: number
	all?: true
	query?: string
	status?: string
	visibility?: string
	collection?: string
	sort?: string
	trashed?: true
}

/** The largest page that the server returns. */
const PAGE = 200

export async function run({ options, terminal }: Invocation<Options>): Promise<void> {
	const { limit, all, query, status, visibility, collection, sort, trashed } = options
	const { client } = await connect(options, terminal.env)
	// The server checks the values.
	const input = {
		limit: all ? PAGE : Math.min(limit, PAGE),
		q: query,
		status,
		visibility,
		collectionId: collection,
		sort,
		trashed,
	} as ListAssetsInput
	const assets = call(client, listAssets, input, { signal: terminal.interruption })
	const shown = all ? assets : take(assets, limit)
	await printRecords(terminal, options, shown, [
		'id',
		'status',
		'visibility',
		'durationSec',
		'createdAt',
		'title',
	])
}
