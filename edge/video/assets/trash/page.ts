import type { z } from 'zod'
import type { listAssets } from '#schema/contract/video/assets.ts'
import { buildPage, decodeCursor } from '../../../http/page.ts'
import type { Deps } from '../../../platform/deps.ts'
import { type TrashedRow, trashStore } from './store.ts'

type Query = z.output<(typeof listAssets)['query']>

/** Returns a page of the trash, most recently trashed first. */
export async function listTrashPage(
	{ db }: Pick<Deps, 'db'>,
	orgId: string,
	query: Query,
	request: Request,
	headers: Headers,
): Promise<TrashedRow[]> {
	const rows = await trashStore(db).list(orgId, query.limit, decodeCursor(query))
	return buildPage(rows, query, ({ trashedAt, id }) => [trashedAt, id], request, headers)
}
