import { and, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { AssetFilter, AssetSort } from '#schema/contract/video/assets.ts'
import { assets } from '#schema/tables/video/assets.ts'
import type { Db } from '../../../platform/database/database.ts'
import { containsWords, selectCandidates } from '../search/search-store.ts'
import type { AssetRow } from '../store.ts'
import { type Position, resolveSort } from './sorts.ts'

type PageOptions = { sort: AssetSort; limit: number; after: Position | null }

/** How many assets a filter without an order of its own may select to be sorted for each page. */
const MAX_SORTED = 1_000
/** How many assets, in the order of the list, a call examines otherwise. */
const MAX_EXAMINED = 2_000

/** The columns as expressions, since drizzle refuses columns of a table that is named as text. */
const columns = Object.fromEntries(
	Object.entries(getTableColumns(assets)).map(([name, column]) => [name, sql`${column}`.mapWith(column)]),
) as unknown as { [K in keyof AssetRow]: SQL<AssetRow[K]> }

/**
 * Lists the assets of an organization. The rows that a page reads are limited, whatever the filter: those that a filter
 * selects by its index are sorted if they are few; otherwise a part of the list is examined in its order.
 */
export const libraryStore = (db: Db) => ({
	/** Returns up to one row more than the limit, and the end of the examined part if the list goes on after it. */
	async list(
		orgId: string,
		filter: AssetFilter,
		{ sort, limit, after }: PageOptions,
	): Promise<{ rows: AssetRow[]; examinedTo: Position | null }> {
		const order = resolveSort(sort)
		const { index, inOrder, others, candidates } = planFilter(orgId, filter, order.name)
		// Without statistics, SQLite may prefer an index that has the rows in another order, or too many of them.
		const inIndex = sql.raw(`assets indexed by ${index}`)
		const where = [eq(assets.orgId, orgId), ...inOrder, order.after(after)]

		if (others.length === 0)
			return {
				rows: await db
					.select(columns)
					.from(inIndex)
					.where(and(...where))
					.orderBy(...order.orderBy)
					.limit(limit + 1),
				examinedTo: null,
			}

		if (candidates) {
			const [counted] = await db.all<{ total: number }>(
				sql`select count(*) as total from (${candidates} limit ${MAX_SORTED + 1})`,
			)
			if ((counted?.total ?? 0) <= MAX_SORTED) {
				const isCandidate = sql`assets.id in (${candidates})`
				const rows = await db
					.select()
					.from(assets)
					.where(and(isCandidate, sql`+assets.org_id = ${orgId}`, ...where.slice(1), ...others))
					.orderBy(...order.orderBy)
					.limit(limit + 1)
				return { rows, examinedTo: null }
			}
		}

		const [end] = await db
			.select(columns)
			.from(inIndex)
			.where(and(...where))
			.orderBy(...order.orderBy)
			.limit(1)
			.offset(MAX_EXAMINED - 1)
		const examinedTo = end ? order.positionOf(end) : null
		const rows = await db
			.select(columns)
			.from(inIndex)
			.where(and(...where, order.upTo(examinedTo), ...others))
			.orderBy(...order.orderBy)
			.limit(limit + 1)
		return { rows, examinedTo }
	},
})

/**
 * Divides a filter: an index with the order of the list and its conditions, all other conditions, and the query for the
 * assets that the most selective of these can match. A `+` keeps SQLite from using an index.
 */
export function planFilter(orgId: string, filter: AssetFilter, sort: string) {
	const { q = '', status, visibility, collectionId, hasCaptions, createdAfter, createdBefore } = filter
	const isByCreation = sort === 'created'
	let index = isByCreation ? 'assets_org' : `assets_${sort}`
	const inOrder: SQL[] = []
	const others: SQL[] = []
	let candidates: SQL | null = null

	const createdAt = isByCreation ? sql`assets.created_at` : sql`+assets.created_at`
	const creation = isByCreation ? inOrder : others
	if (createdAfter !== undefined) creation.push(sql`${createdAt} >= ${Date.parse(createdAfter)}`)
	if (createdBefore !== undefined) creation.push(sql`${createdAt} < ${Date.parse(createdBefore)}`)

	if (status !== undefined) {
		const [only, ...more] = status
		if (isByCreation && only && more.length === 0 && collectionId === undefined) {
			index = 'assets_status'
			inOrder.push(eq(assets.status, only))
		} else {
			others.push(sql`+assets.status in ${status}`)
			candidates = sql`select id from assets where org_id = ${orgId} and ${inArray(assets.status, status)}`
		}
	}
	if (collectionId !== undefined) {
		const isIn = collectionId === 'none' ? isNull(assets.collectionId) : eq(assets.collectionId, collectionId)
		if (isByCreation) {
			index = 'assets_collection'
			inOrder.push(isIn)
		} else {
			others.push(
				collectionId === 'none'
					? sql`+assets.collection_id is null`
					: sql`+assets.collection_id = ${collectionId}`,
			)
			candidates = sql`select id from assets where org_id = ${orgId} and ${isIn}`
		}
	}
	if (visibility !== undefined) others.push(inArray(assets.visibility, visibility))
	if (hasCaptions !== undefined) others.push(hasCaptions === 'true' ? captioned : sql`not ${captioned}`)
	if (q !== '') {
		others.push(containsWords(q))
		candidates = selectCandidates(orgId, q) ?? candidates
	}
	return { index, inOrder, others, candidates }
}

/** Subtitles of the transcript, or uploaded or translated ones. */
const captioned = sql`(
	assets.subtitles_key is not null
	or exists (select 1 from asset_subtitles as made where made.asset_id = assets.id)
)`
