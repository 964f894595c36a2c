import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { TimeOrder, TimeOrderQuery } from '#schema/contract/community/time-order.ts'
import { AppError } from '../http/errors.ts'
import { buildPage, decodeCursorAs } from '../http/page.ts'
import type { Position } from '../platform/database/keyset.ts'
import { computePageOffset } from './lists.ts'

/** Where a page starts: after the row at a position, or at an offset. */
export type PageStart = { sort: TimeOrder; from: Position | number }

/** Reads where the requested page starts. Throws 400 for a page number with a cursor, and for a cursor of the other order. */
export function readPageStart(query: TimeOrderQuery): PageStart {
	const { sort, cursor, page } = query
	const Cursor = z.tuple([z.int(), z.int(), z.literal(sort)])
	const found = decodeCursorAs(Cursor, query, 'the value of X-Next-Cursor, and the same sort,')
	if (cursor !== undefined && page > 1)
		throw new AppError('validation', 'page, cursor: send only one of them')
	return { sort, from: found ? [found[0], found[1]] : computePageOffset(query) }
}

/** Sets the headers that name the next page, also for a page requested by number. */
export function nameNextPage(
	rows: { createdAt: number; id: number }[],
	{ per_page: limit, sort }: TimeOrderQuery,
	request: Request,
	headers: Headers,
): void {
	const url = new URL(request.url)
	url.searchParams.delete('page')
	buildPage(rows, { limit }, (row) => [row.createdAt, row.id, sort], { url: url.href }, headers)
}

/** Returns the condition and the end of a statement that selects a page of the rows with the alias `row`. */
export function selectPageByTime(row: SQL, { sort, from }: PageStart, limit: number) {
	const [direction, comparison] = sort === 'latest' ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
	const [isAfter, offset] =
		typeof from === 'number'
			? [sql`true`, from]
			: [sql`(${row}.created_at, ${row}.id) ${comparison} (${from[0]}, ${from[1]})`, 0]
	return {
		isAfter,
		inOrder: sql`
			order by ${row}.created_at ${direction}, ${row}.id ${direction} limit ${limit} offset ${offset}
		`,
	}
}
