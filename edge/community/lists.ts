import type { ListQuery } from '#schema/contract/community/fields.ts'

/** Wraps a list that is not paged. `per_page` is always 20, even when there are more records. */
export const wrapFixedList = <Item>(records: Item[]) => ({
	page: 1 as const,
	per_page: 20 as const,
	has_next_page: false as const,
	count: records.length,
	page_count: 1 as const,
	records,
})

/** Wraps one page of a counted list. An empty list still has one page. */
export const wrapPagedList = <Item>(records: Item[], count: number, { page, per_page }: ListQuery) => ({
	page,
	per_page,
	has_next_page: page * per_page < count,
	count,
	page_count: Math.max(1, Math.ceil(count / per_page)),
	records,
})

/** Returns the offset of a page, capped at the largest safe integer: above it, the database would get a fraction. */
export const computePageOffset = ({ page, per_page }: ListQuery): number =>
	Math.min((page - 1) * per_page, Number.MAX_SAFE_INTEGER)

/** Wraps one page of an uncounted list. Expects one record more than `per_page` when there is a next page. */
export const wrapOpenList = <Item>(records: Item[], { page, per_page }: ListQuery) => ({
	page,
	per_page,
	has_next_page: records.length > per_page,
	records: records.slice(0, per_page),
})
