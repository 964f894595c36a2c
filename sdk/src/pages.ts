import { UnexpectedResponseError } from './errors.ts'
import type { WithResponse } from './operation.ts'
import type { Input } from './request.ts'

type NumberedPage = { records?: unknown; page?: number; has_next_page?: boolean }

/** Yields the items of all pages. Fetches the next page when the items of the current page are used up. */
export async function* iteratePages(
	route: string,
	input: Input | undefined,
	load: (input: Input) => Promise<WithResponse<unknown>>,
): AsyncGenerator<unknown> {
	let page: Input = { ...input }
	for (;;) {
		const { data, nextCursor } = await load(page)
		const { records, page: number, has_next_page: hasNext } = (data ?? {}) as NumberedPage
		const items = Array.isArray(data) ? data : records
		const next = nextCursor ?? (hasNext ? (number ?? 1) + 1 : undefined)
		// Prevents an endless loop with a server that ignores the parameter.
		if (!Array.isArray(items) || (next !== undefined && next === (page.cursor ?? page.page)))
			throw new UnexpectedResponseError(`${route}: the response is not a page of a list; await the call`)
		yield* items
		if (next === undefined) return
		page = { ...page, [nextCursor ? 'cursor' : 'page']: next }
	}
}
