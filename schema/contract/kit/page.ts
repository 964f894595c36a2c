import { z } from 'zod'
import { queryInt } from './fields.ts'

/** Keyset paging of `/v1` lists. The response names the next page in `X-Next-Cursor` and `Link: …; rel="next"`. */
export const PageQuery = z.object({
	limit: queryInt(1, 200, 100),
	cursor: z.string().max(512).optional(),
})
export type PageQuery = z.infer<typeof PageQuery>

/** The body of a `/v1` list that the specification does not define. `serve` sets `next`. */
export const dataPage = <S extends z.ZodType>(item: S) =>
	z.object({
		data: z.array(item),
		next: z.string().nullable().default(null).meta({
			description: 'The `cursor` of the next page, as in `X-Next-Cursor`; null on the last page',
		}),
	})

/** Whether the body of a response contains the cursor of the next page. */
export const namesNextPage = ({ response }: { readonly response?: z.ZodType }): boolean =>
	response instanceof z.ZodObject && 'next' in response.shape && 'data' in response.shape
