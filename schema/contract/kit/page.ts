import { z } from 'zod'
import { queryInt } from './fields.ts'

/** Keyset paging of `/v1` lists. The response names the next page in `X-Next-Cursor` and `Link: …; rel="next"`. */
export const PageQuery = z.object({
	limit: queryInt(1, 200, 100),
	cursor: z.string().max(512).optional(),
})
export type PageQuery = z.infer<typeof PageQuery>
