import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { memberTerms, memberTexts, postTerms, postTexts } from '#schema/tables/community/search.ts'
import { computePrefixRange, extractQueryTerms, foldText } from '../../platform/database/search-terms.ts'

/** Limits the rows of a common word and the texts that a search reads, so that its cost does not grow with the community. */
const MAX_CANDIDATES = 2_000

type Index = { terms: SQLiteTable; texts: SQLiteTable; id: SQL }
export const postIndex: Index = { terms: postTerms, texts: postTexts, id: sql`post_id` }
export const memberIndex: Index = { terms: memberTerms, texts: memberTexts, id: sql`membership_id` }

/**
 * Returns two subselects of ids: rows that have all words of a query as prefixes (whole words and newest rows first), and
 * rows that contain the query as a substring. The query is only ever a bound value: an index range, or an argument of
 * `instr`. LIKE would interpret wildcards, and D1 limits its pattern to 50 bytes.
 */
export function selectCandidates({ terms, texts, id }: Index, communityId: number, query: string) {
	const newestTexts = sql`(
		select ${id} as id, folded from ${texts}
		where community_id = ${communityId}
		order by ${id} desc limit ${MAX_CANDIDATES}
	)`
	const byText = sql`select id from ${newestTexts} where instr(folded, ${foldText(query).trim()}) > 0`
	const [first, ...others] = extractQueryTerms(query)
	if (first === undefined) return { byWords: sql`select null as id where false`, byText }
	const [from, below] = computePrefixRange(first)
	const ofFirst = sql`select ${id} as id from ${terms} where community_id = ${communityId} and`
	const hasOthers = others.map((term) => {
		const [low, high] = computePrefixRange(term)
		return sql`
			and exists (
				select 1 from ${terms} o where o.${id} = candidates.id and o.term >= ${low} and o.term < ${high}
			)
		`
	})
	const byWords = sql`
		select candidates.id from (
			select id from (${ofFirst} term = ${from} order by ${id} desc limit ${MAX_CANDIDATES})
			union
			select id from (${ofFirst} term > ${from} and term < ${below} limit ${MAX_CANDIDATES})
		) candidates where true${sql.join(hasOthers)}`
	return { byWords, byText }
}

/**
 * Selects the ids of one page: rows found by words, or by substring if no visible row has the words. `visible` filters the
 * subselect `candidates` to visible rows and adds the columns that `order` uses.
 */
export function selectPage(
	{ byWords, byText }: ReturnType<typeof selectCandidates>,
	visible: (candidates: SQL) => SQL,
	order: SQL,
	limit: number,
	offset: number,
): SQL {
	return sql`
		with words as materialized (${visible(sql`(${byWords}) candidates`)}),
		otherwise as (select 1 where not exists (select 1 from words))
		select * from words union all ${visible(sql`otherwise cross join (${byText}) candidates`)}
		order by ${order} limit ${limit} offset ${offset}`
}
