import { z } from 'zod'
import type { AssetFilter } from '#schema/contract/video/assets.ts'
import type { AssetFilterBody } from '#schema/contract/video/bulk.ts'
import { decodeCursorAs, encodeCursor } from '../../http/page.ts'
import type { Deps } from '../../platform/deps.ts'
import { positionIn } from '../assets/library/page.ts'
import { resolveSort } from '../assets/library/sorts.ts'
import { libraryStore } from '../assets/library/store.ts'

type Selection = {
	assetIds?: readonly string[] | undefined
	filter?: AssetFilterBody | undefined
	cursor?: string | undefined
}
type Chunk = { ids: readonly string[]; cursor: string | null }

/** Newest first, so that assets which are created meanwhile are not selected. */
const SORT = '-created'
const CURSOR_NAME = 'the cursor of the response before'

/** Returns the next assets of a selection, and the cursor of those after them. */
export async function selectChunk(
	{ db }: Pick<Deps, 'db'>,
	orgId: string,
	{ assetIds, filter = {}, cursor }: Selection,
	limit: number,
): Promise<Chunk> {
	if (assetIds) return sliceIds(assetIds, cursor, limit)
	const position = decodeCursorAs(positionIn(SORT), { cursor }, CURSOR_NAME)
	const after = position && ([position[1], position[2]] as const)
	const options = { sort: SORT, limit, after } as const
	const { rows, examinedTo } = await libraryStore(db).list(orgId, toAssetFilter(filter), options)
	const shown = rows.slice(0, limit)
	const last = shown.at(-1)
	const end = rows.length > limit && last ? resolveSort(SORT).positionOf(last) : examinedTo
	return { ids: shown.map(({ id }) => id), cursor: end && encodeCursor([SORT, ...end]) }
}

function sliceIds(assetIds: readonly string[], cursor: string | undefined, limit: number): Chunk {
	const Start = z.tuple([z.int().min(1).max(assetIds.length)])
	const [start] = decodeCursorAs(Start, { cursor }, CURSOR_NAME) ?? [0]
	const end = start + limit
	return { ids: assetIds.slice(start, end), cursor: end < assetIds.length ? encodeCursor([end]) : null }
}

const toAssetFilter = ({ hasCaptions, ...filter }: AssetFilterBody): AssetFilter => ({
	...filter,
	...(hasCaptions !== undefined && { hasCaptions: hasCaptions ? 'true' : 'false' }),
})
