import { z } from 'zod'
import type { AssetSort, listAssets } from '#schema/contract/video/assets.ts'
import { buildPage, decodeCursorAs, setNextCursor } from '../../../http/page.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { AssetRow } from '../store.ts'
import { resolveSort } from './sorts.ts'
import { libraryStore } from './store.ts'

/** The sort that a page has, its value in the last row, and the id of that row. */
export const positionIn = (sort: AssetSort) =>
	z.tuple([
		z.literal(sort),
		(sort.endsWith('title') ? z.string() : z.number()) as z.ZodType<string | number>,
		z.string(),
	])

type Query = z.output<(typeof listAssets)['query']>

/** Returns a page of assets. Sets the cursor, even after a short page if more assets remain to be examined. */
export async function listAssetPage(
	{ db }: Pick<Deps, 'db'>,
	orgId: string,
	query: Query,
	request: Request,
	headers: Headers,
): Promise<AssetRow[]> {
	const { sort, limit } = query
	const { positionOf } = resolveSort(sort)
	const position = decodeCursorAs(positionIn(sort), query)
	const after = position && ([position[1], position[2]] as const)
	const { rows, examinedTo } = await libraryStore(db).list(orgId, query, { sort, limit, after })
	const page = buildPage(rows, query, (row) => [sort, ...positionOf(row)], request, headers)
	if (rows.length <= limit && examinedTo) setNextCursor([sort, ...examinedTo], request, headers)
	return page
}
