import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { memberTerms, memberTexts, postTerms, postTexts } from '#schema/tables/community-search.ts'
import { fold, prefixRange, queryTerms } from '../../platform/search-terms.ts'

/**
 * Of a word that very many have, as many are looked at, and as many texts where no word fits: what a search costs
 * must not grow with the community.
 */
const MOST_LOOKED_AT = 2_000

type Index = { terms: SQLiteTable; texts: SQLiteTable; id: SQL }
export const postIndex: Index = { terms: postTerms, texts: postTexts, id: sql`post_id` }
export const memberIndex: Index = { terms: memberTerms, texts: memberTexts, id: sql`membership_id` }

/**
 * Subselects of ids: what has all words of a query, each as a beginning (whole words first, the newest first), and what
 * holds the query as it stands. The caller's text is only ever a value: a range of an index, or looked for by `instr`,
 * not by LIKE, which knows wildcards and ends at 50 bytes.
 */
export function candidatesOf({ terms, texts, id }: Index, communityId: number, query: string) {
	const newestTexts = sql`(select ${id} as id, folded from ${texts} where community_id = ${communityId} order by ${id} desc limit ${MOST_LOOKED_AT})`
	const byText = sql`select id from ${newestTexts} where instr(folded, ${fold(query).trim()}) > 0`
	const [first, ...others] = queryTerms(query)
	if (first === undefined) return { byWords: sql`select null as id where false`, byText }
	const [from, below] = prefixRange(first)
	const ofFirst = sql`select ${id} as id from ${terms} where community_id = ${communityId} and`
	const hasOthers = others.map((term) => {
		const [low, high] = prefixRange(term)
		return sql` and exists (select 1 from ${terms} o where o.${id} = candidates.id and o.term >= ${low} and o.term < ${high})`
	})
	const byWords = sql`
		select candidates.id from (
			select id from (${ofFirst} term = ${from} order by ${id} desc limit ${MOST_LOOKED_AT})
			union
			select id from (${ofFirst} term > ${from} and term < ${below} limit ${MOST_LOOKED_AT})
		) candidates where true${sql.join(hasOthers)}`
	return { byWords, byText }
}

/**
 * The ids of one page: by words, or by text where nothing that may be seen has them. `seen` says of ids, called `candidates`,
 * which may be seen, with the columns that `order` is about.
 */
export function pageOf(
	{ byWords, byText }: ReturnType<typeof candidatesOf>,
	seen: (candidates: SQL) => SQL,
	order: SQL,
	limit: number,
	offset: number,
): SQL {
	return sql`
		with words as materialized (${seen(sql`(${byWords}) candidates`)}),
		otherwise as (select 1 where not exists (select 1 from words))
		select * from words union all ${seen(sql`otherwise cross join (${byText}) candidates`)}
		order by ${order} limit ${limit} offset ${offset}`
}
