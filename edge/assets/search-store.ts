import { and, count, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AssetStatus } from '#schema/contract/assets.ts'
import { assetSearch, assets, assetTerms } from '#schema/tables/assets.ts'
import type { Db } from '../platform/database.ts'
import { fold, prefixRange, queryTerms, termsOf } from '../platform/search-terms.ts'
import type { AssetRow } from './store.ts'

type Field = 'title' | 'description'
type Owner = Pick<AssetRow, 'id' | 'orgId'>
type Texts = { [F in Field]?: string | null | undefined }
export type Search = { q: string; status?: AssetStatus | undefined; limit: number; offset: number }

const fields: readonly Field[] = ['title', 'description']

/**
 * Search over ordinary tables: with virtual ones (FTS5) a D1 database can be exported no more. `asset_terms` has a row
 * for each word of a text, `asset_search` the folded texts themselves for the fallback.
 */
export const searchStore = (db: Db) => ({
	/** Statements for the batch that inserts the asset. */
	insert(asset: Owner & { title: string; description: string | null }) {
		const { id: assetId, orgId } = asset
		const texts = { title: fold(asset.title), description: fold(asset.description ?? '') }
		return [
			db.insert(assetSearch).values({ assetId, orgId, ...texts }),
			...fields.map((field) => insertTerms(db, asset, field, asset[field] ?? '', sql`1`)),
		]
	},

	/** Statements for the batch that changes the asset, behind it. They do nothing where it was not changed. */
	update(asset: Owner, changed: Texts) {
		return fields.flatMap((field) => {
			const text = changed[field]
			if (text === undefined) return []
			const wasChanged = sql`exists (select 1 from ${assets} where ${assets.id} = ${asset.id} and ${assets.orgId} = ${asset.orgId} and ${assets[field]} is ${text})`
			return [
				db
					.delete(assetTerms)
					.where(and(eq(assetTerms.assetId, asset.id), eq(assetTerms.field, field), wasChanged)),
				insertTerms(db, asset, field, text ?? '', wasChanged),
				db
					.update(assetSearch)
					.set({ [field]: fold(text ?? '') })
					.where(and(eq(assetSearch.assetId, asset.id), wasChanged)),
			]
		})
	},

	/** Statements for the batch that deletes the asset. */
	delete({ id, orgId }: Owner) {
		return [
			db.delete(assetTerms).where(and(eq(assetTerms.assetId, id), eq(assetTerms.orgId, orgId))),
			db.delete(assetSearch).where(and(eq(assetSearch.assetId, id), eq(assetSearch.orgId, orgId))),
		]
	},

	/** One page and how many there are in all, in one round trip. */
	async search(orgId: string, { q, status, limit, offset }: Search) {
		const matches = matchesOf(orgId, q, status)
		const where = and(eq(assets.orgId, orgId), status && eq(assets.status, status))
		const order = [desc(assets.createdAt), desc(assets.id)]
		if (!matches) {
			const [items, [all]] = await db.batch([
				db
					.select()
					.from(assets)
					.where(where)
					.orderBy(...order)
					.limit(limit)
					.offset(offset),
				db.select({ total: count() }).from(assets).where(where),
			])
			return { items, total: all?.total ?? 0 }
		}
		// Crossed, because SQLite then keeps the order: from the matches to their assets, never the other way round.
		const found = sql`(${matches}) as matches`
		const ofMatches = and(sql`${assets.id} = matches.asset_id`, where)
		const [items, [all]] = await db.batch([
			db
				.select(getTableColumns(assets))
				.from(found)
				.crossJoin(assets)
				.where(ofMatches)
				.orderBy(...order)
				.limit(limit)
				.offset(offset),
			db.select({ total: count() }).from(found).crossJoin(assets).where(ofMatches),
		])
		return { items, total: all?.total ?? 0 }
	},
})

/** One parameter for all terms, however many; a batch knows at most 100 for each statement. */
const insertTerms = (db: Db, { id, orgId }: Owner, field: Field, text: string, condition: SQL) =>
	db
		.insert(assetTerms)
		.select(
			sql`select ${orgId}, value, ${id}, ${field} from json_each(${JSON.stringify(termsOf(text))}) where ${condition}`,
		)
		.onConflictDoNothing()

/**
 * The ids of what matches, or null where everything does. All words must be there, each may go on; where nothing has
 * them, whatever holds the query as it stands. What the caller wrote is only ever a value: compared as a range of an
 * index or by `instr`, which know no wildcards, and not by LIKE, which knows them and ends at 50 bytes.
 */
function matchesOf(orgId: string, q: string, status: AssetStatus | undefined): SQL | null {
	const wanted = fold(q).trim()
	if (wanted === '') return null
	const [first, ...others] = queryTerms(q)
	const withStatus = status
		? sql` and exists (select 1 from assets as a where a.id = t.asset_id and a.status = ${status})`
		: sql``
	const substring = sql`s.org_id = ${orgId} and (instr(s.title, ${wanted}) > 0 or instr(s.description, ${wanted}) > 0)`
	if (first === undefined) return sql`select s.asset_id from asset_search as s where ${substring}`
	const between = (alias: SQL, prefix: string) => {
		const [from, below] = prefixRange(prefix)
		return sql`${alias}.term >= ${from} and ${alias}.term < ${below}`
	}
	const rest = others.map(
		(term) =>
			sql` and exists (select 1 from asset_terms as o where o.asset_id = t.asset_id and ${between(sql`o`, term)})`,
	)
	return sql`with words as materialized (
		select distinct t.asset_id from asset_terms as t
		where t.org_id = ${orgId} and ${between(sql`t`, first)}${sql.join(rest)}${withStatus}
	), otherwise as (select 1 where not exists (select 1 from words))
	select asset_id from words
	union all
	select s.asset_id from otherwise cross join asset_search as s where ${substring}`
}
