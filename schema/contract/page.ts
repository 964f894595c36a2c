import { z } from 'zod'
import { queryInt } from './fields.ts'

/** Keyset paging, additive to every `/v1` list: `X-Next-Cursor` and `Link: …; rel="next"` tell how to go on. */
export const PageQuery = z.object({
	limit: queryInt(1, 200, 100),
	cursor: z.string().max(512).optional(),
})
export type PageQuery = z.infer<typeof PageQuery>
