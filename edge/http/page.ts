import { z } from 'zod'
import type { PageQuery } from '#schema/contract/page.ts'
import { base64url, fromBase64url } from '../platform/digest.ts'
import { linkValue } from '../platform/header-values.ts'
import { AppError } from './errors.ts'

/** Where a page ended: the instant it is ordered by, and the id that breaks ties. */
const Position = z.tuple([z.int(), z.union([z.string(), z.int()])])
export type Position = z.infer<typeof Position>

const encode = (position: Position) => base64url(new TextEncoder().encode(JSON.stringify(position)))

export function positionOf(query: PageQuery): Position | null {
	if (query.cursor === undefined) return null
	try {
		return Position.parse(JSON.parse(new TextDecoder().decode(fromBase64url(query.cursor))))
	} catch {
		throw new AppError('validation', 'cursor: take it as it came in X-Next-Cursor')
	}
}

/**
 * Stores fetch one row more than asked for; here it becomes the answer to "is there more?", in headers, so that the
 * body stays the plain array the specification wants.
 */
export function pageOf<Row>(
	rows: Row[],
	query: PageQuery,
	positionOfRow: (row: Row) => Position,
	request: { url: string },
	headers: Headers,
): Row[] {
	if (rows.length <= query.limit) return rows
	const shown = rows.slice(0, query.limit)
	const cursor = encode(positionOfRow(shown.at(-1) as Row))
	const next = new URL(request.url)
	next.searchParams.set('cursor', cursor)
	headers.set('x-next-cursor', cursor)
	headers.set('link', linkValue(`${next.pathname}${next.search}`, { rel: 'next' }))
	return shown
}
