import { and, count, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { AssetStatus } from '#schema/contract/video/assets.ts'
import { assetSearch, assets, assetTerms, spokenTerms } from '#schema/tables/video/assets.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import {
	computePrefixRange,
	extractQueryTerms,
	extractSearchTerms,
	foldText,
	isPrefixTerm,
} from '../../../platform/database/search-terms.ts'
import type { AssetRow } from '../store.ts'

type Field = 'title' | 'description'
type Owner = Pick<AssetRow, 'id' | 'orgId'>
type Texts = { [F in Field]?: string | null | undefined }
export type Search = { q: string; status?: AssetStatus | undefined; limit: number; offset: number }

const fields: readonly Field[] = ['title', 'description']

/**
 * Search over ordinary tables, because D1 can't export a database with virtual tables (FTS5). `asset_terms` has a row
 * for each word of a text, `spoken_terms` for each word of a transcript. `asset_search` has the folded texts for the
 * substring fallback.
 */
export const searchStore = (db: Db) => ({
	/** For the batch that inserts the asset. They do nothing if `condition` does not hold. */
	insertStatements(asset: Owner & { title: string; description: string | null }, condition: SQL = sql`1`) {
		const { id: assetId, orgId } = asset
		const texts = { title: foldText(asset.title), description: foldText(asset.description ?? '') }
		return [
			insertSelect(db, assetSearch, { assetId, orgId, ...texts }, sql`where ${condition}`),
			...fields.map((field) => insertTermsStatement(db, asset, field, asset[field] ?? '', condition)),
		]
	},

	/** Follow the update of the asset in its batch. They do nothing if the asset was not changed. */
	updateStatements(asset: Owner, changed: Texts) {
		return fields.flatMap((field) => {
			const text = changed[field]
			if (text === undefined) return []
			const wasChanged = sql`exists (
				select 1 from ${assets}
				where ${assets.id} = ${asset.id} and ${assets.orgId} = ${asset.orgId} and ${assets[field]} is ${text}
			)`
			return [
				db
					.delete(assetTerms)
					.where(and(eq(assetTerms.assetId, asset.id), eq(assetTerms.field, field), wasChanged)),
				insertTermsStatement(db, asset, field, text ?? '', wasChanged),
				db
					.update(assetSearch)
					.set({ [field]: foldText(text ?? '') })
					.where(and(eq(assetSearch.assetId, asset.id), wasChanged)),
			]
		})
	},

	/** For the batch that deletes the asset. They do nothing if `condition` does not hold. */
	deleteStatements({ id, orgId }: Owner, condition: SQL) {
		return [
			db.delete(assetTerms).where(and(eq(assetTerms.assetId, id), eq(assetTerms.orgId, orgId), condition)),
			db.delete(assetSearch).where(and(eq(assetSearch.assetId, id), eq(assetSearch.orgId, orgId), condition)),
			db.delete(spokenTerms).where(and(eq(spokenTerms.assetId, id), eq(spokenTerms.orgId, orgId), condition)),
		]
	},

	/** Returns one page and the total count in one round trip. */
	async search(orgId: string, { q, status, limit, offset }: Search) {
		const matches = matchingIds(orgId, q, status)
		const where = and(eq(assets.orgId, orgId), status && eq(assets.status, status))
		const order = [desc(assets.createdAt), desc(assets.id)]
		if (!matches) {
			const {
				items,
				counted: [all],
			} = await batch(db, {
				items: db
					.select()
					.from(assets)
					.where(where)
					.orderBy(...order)
					.limit(limit)
					.offset(offset),
				counted: db.select({ total: count() }).from(assets).where(where),
			})
			return { items, total: all?.total ?? 0 }
		}
		// With a cross join SQLite keeps the join order: from the matches to their assets, never the reverse.
		const matchedIds = sql`(${matches}) as matches`
		const isMatch = and(sql`${assets.id} = matches.asset_id`, where)
		const {
			items,
			counted: [all],
		} = await batch(db, {
			items: db
				.select(getTableColumns(assets))
				.from(matchedIds)
				.crossJoin(assets)
				.where(isMatch)
				.orderBy(...order)
				.limit(limit)
				.offset(offset),
			counted: db.select({ total: count() }).from(matchedIds).crossJoin(assets).where(isMatch),
		})
		return { items, total: all?.total ?? 0 }
	},

	/** Returns the assets whose transcripts contain all words of the query. */
	async findSpeaking(orgId: string, ids: readonly string[], q: string): Promise<Set<string>> {
		const [first, ...others] = extractQueryTerms(q)
		if (first === undefined || ids.length === 0) return new Set()
		const found = await db.all<{
			asset_id: string
		}>(sql`select distinct term.asset_id from json_each(${JSON.stringify(ids)}) as chosen
			cross join spoken_terms as term on term.asset_id = chosen.value
			where term.org_id = ${orgId} and ${isSpoken(sql`term`, first)}${saysOthers(others)}`)
		return new Set(found.map(({ asset_id }) => asset_id))
	},
})

/** Passes all terms as one parameter; D1 allows at most 100 parameters per statement. */
const insertTermsStatement = (db: Db, { id, orgId }: Owner, field: Field, text: string, condition: SQL) =>
	insertSelect(
		db,
		assetTerms,
		{ orgId, term: sql`value`, assetId: id, field },
		sql`from json_each(${JSON.stringify(extractSearchTerms(text))}) where ${condition}`,
	).onConflictDoNothing()

/** SQL condition: the row is a transcript word that matches a term of the query. */
function isSpoken(alias: SQL, term: string): SQL {
	return isPrefixTerm(term) ? beginsWith(alias, term) : sql`${alias}.term = ${term}`
}

function beginsWith(alias: SQL, prefix: string): SQL {
	const [from, below] = computePrefixRange(prefix)
	return sql`${alias}.term >= ${from} and ${alias}.term < ${below}`
}

const saysOthers = (terms: readonly string[]): SQL =>
	sql.join(
		terms.map(
			(term) =>
				sql`
					and exists (
						select 1 from spoken_terms as other
						where other.asset_id = term.asset_id and ${isSpoken(sql`other`, term)}
					)
				`,
		),
	)

/**
 * Returns a query for the ids of matching assets, or null if every asset matches. An asset matches if each word of the
 * query is a prefix of a word of its title and description, or of a word of its transcript. If no asset of the library
 * matches, the whole query is searched as a substring. Assets in the trash keep the rows of their words. Words are
 * compared by index range and `instr`: LIKE has wildcards and a limit of 50 bytes.
 */
function matchingIds(orgId: string, q: string, status: AssetStatus | undefined): SQL | null {
	const folded = foldText(q).trim()
	if (folded === '') return null
	const [first, ...others] = extractQueryTerms(q)
	const withStatus = status
		? sql` and exists (select 1 from assets where assets.id = term.asset_id and assets.status = ${status})`
		: sql``
	const hasSubstring = sql`
		search.org_id = ${orgId}
		and (instr(search.title, ${folded}) > 0 or instr(search.description, ${folded}) > 0)
	`
	if (first === undefined)
		return sql`select search.asset_id from asset_search as search where ${hasSubstring}`
	const rest = others.map(
		(term) =>
			sql`
				and exists (
					select 1 from asset_terms as other
					where other.asset_id = term.asset_id and ${beginsWith(sql`other`, term)}
				)
			`,
	)
	return sql`with words as materialized (
		select distinct term.asset_id from asset_terms as term
		where term.org_id = ${orgId} and ${beginsWith(sql`term`, first)}${sql.join(rest)}${withStatus}
		union
		select distinct term.asset_id from spoken_terms as term
		where term.org_id = ${orgId} and ${isSpoken(sql`term`, first)}${saysOthers(others)}${withStatus}
	), fallback as (
		select 1 where not exists (select 1 from words cross join assets on assets.id = words.asset_id)
	)
	select asset_id from words
	union all
	select search.asset_id from fallback cross join asset_search as search where ${hasSubstring}`
}

/**
 * SQL condition about a row of `assets`: each word of the query is a prefix of a word of its title and description, or of
 * a word of its transcript. A query without words is searched as a substring.
 */
export function containsWords(q: string): SQL {
	const terms = extractQueryTerms(q)
	if (terms.length === 0) {
		const folded = foldText(q)
		return sql`exists (
			select 1 from asset_search as search
			where search.asset_id = assets.id
				and (instr(search.title, ${folded}) > 0 or instr(search.description, ${folded}) > 0)
		)`
	}
	const all = (table: SQL, matches: (alias: SQL, term: string) => SQL) =>
		sql.join(
			terms.map(
				(term) => sql`exists (
					select 1 from ${table} as term where term.asset_id = assets.id and ${matches(sql`term`, term)}
				)`,
			),
			sql` and `,
		)
	return sql`((${all(sql`asset_terms`, beginsWith)}) or (${all(sql`spoken_terms`, isSpoken)}))`
}

/**
 * Returns a query for the ids of all assets that can contain the words, and some others; null if no index finds them.
 * It looks for the longest word, which is likely to be the rarest. The same id may come several times.
 */
export function selectCandidates(orgId: string, q: string): SQL | null {
	const [longest] = extractQueryTerms(q)
	if (longest === undefined) return null
	return sql`
		select term.asset_id from asset_terms as term
		where term.org_id = ${orgId} and ${beginsWith(sql`term`, longest)}
		union all
		select term.asset_id from spoken_terms as term
		where term.org_id = ${orgId} and ${isSpoken(sql`term`, longest)}`
}
