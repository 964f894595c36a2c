import { z } from 'zod'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { namesNextPage, type PageQuery } from '#schema/contract/kit/page.ts'
import type { Env } from '../platform/env.ts'
import { formatLinkHeader } from '../platform/network/header-values.ts'
import { fromBase64url, toBase64url } from '../platform/tokens/digest.ts'
import { AppError } from './errors.ts'

/** The end of a page: the sorting timestamp, and the id that breaks ties. */
const Position = z.tuple([z.int(), z.union([z.string(), z.int()])])
export type Position = z.infer<typeof Position>

export const encodeCursor = (position: readonly unknown[]) =>
	toBase64url(new TextEncoder().encode(JSON.stringify(position)))

export const decodeCursor = (query: Pick<PageQuery, 'cursor'>) => decodeCursorAs(Position, query)

/** Decodes the cursor of a list that is sorted by something else than a timestamp. */
export function decodeCursorAs<Schema extends z.ZodType>(
	schema: Schema,
	query: Pick<PageQuery, 'cursor'>,
	source = 'the value of X-Next-Cursor',
): z.output<Schema> | null {
	if (query.cursor === undefined) return null
	try {
		return schema.parse(JSON.parse(new TextDecoder().decode(fromBase64url(query.cursor))))
	} catch {
		throw new AppError('validation', `cursor: invalid; send ${source} unchanged`)
	}
}

/**
 * Removes the extra row that stores fetch. If there is one, sets X-Next-Cursor to the end of the page, in a header,
 * because the specification requires a plain array as the body.
 */
export function buildPage<Row>(
	rows: Row[],
	query: Pick<PageQuery, 'limit'>,
	positionOfRow: (row: Row) => readonly unknown[],
	request: { url: string },
	headers: Headers,
): Row[] {
	if (rows.length <= query.limit) return rows
	const shown = rows.slice(0, query.limit)
	setNextCursor(positionOfRow(shown.at(-1) as Row), request, headers)
	return shown
}

/** Sets X-Next-Cursor, and a Link that `serve` makes absolute. */
export function setNextCursor(position: readonly unknown[], request: { url: string }, headers: Headers) {
	const cursor = encodeCursor(position)
	const next = new URL(request.url)
	next.searchParams.set('cursor', cursor)
	headers.set('x-next-cursor', cursor)
	headers.set('link', formatLinkHeader(`${next.pathname}${next.search}`, { rel: 'next' }))
}

/** Makes the Link of `setNextCursor` absolute, because clients that don't resolve URLs would call their own host. */
export function completeNextLink(headers: Headers, env: Pick<Env, 'vars'>, request: { url: string }): void {
	const link = headers.get('link')
	if (link !== null) headers.set('link', `<${choosePageBase(env, request)}${link.slice(1)}`)
}

/** Adds the cursor of `setNextCursor` to a body that contains it. */
export const completePage = (op: Operation, body: unknown, headers: Headers): unknown =>
	namesNextPage(op) ? { ...(body as object), next: headers.get('x-next-cursor') } : body

const isLoopback = (hostname: string): boolean =>
	hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')

/**
 * Keeps the host of the request, which may choose the community. Behind a proxy that ends TLS, only PUBLIC_URL says
 * that clients use https; a link with http would make them send their credentials unencrypted.
 */
function choosePageBase({ vars: { PUBLIC_URL } }: Pick<Env, 'vars'>, { url }: { url: string }): string {
	const asked = new URL(url)
	if (PUBLIC_URL === undefined) return asked.origin
	const { host, protocol } = new URL(PUBLIC_URL)
	if (asked.host === host || isLoopback(asked.hostname)) return PUBLIC_URL
	return protocol === 'https:' ? `https://${asked.host}` : asked.origin
}
