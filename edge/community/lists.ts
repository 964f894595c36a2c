import type { ListQuery } from '#schema/contract/community/fields.ts'

/** The envelope of lists that are not paged; it says 20 a page however many records it holds. */
export const fixedListOf = <Item>(records: Item[]) => ({
	page: 1 as const,
	per_page: 20 as const,
	has_next_page: false as const,
	count: records.length,
	page_count: 1 as const,
	records,
})

/** The same fields with true numbers. A list without records still has one page. */
export const pagedListOf = <Item>(records: Item[], count: number, { page, per_page }: ListQuery) => ({
	page,
	per_page,
	has_next_page: page * per_page < count,
	count,
	page_count: Math.max(1, Math.ceil(count / per_page)),
	records,
})

export const offsetOf = ({ page, per_page }: ListQuery): number => (page - 1) * per_page

/** Of rows that were fetched one more than asked for. */
export const openListOf = <Item>(records: Item[], { page, per_page }: ListQuery) => ({
	page,
	per_page,
	has_next_page: records.length > per_page,
	records: records.slice(0, per_page),
})
