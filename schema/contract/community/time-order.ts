import { z } from 'zod'
import { PageQuery } from '../kit/page.ts'
import { ListQuery } from './fields.ts'

const TimeOrder = z.enum(['latest', 'oldest'])
export type TimeOrder = z.infer<typeof TimeOrder>

/** Describes the parameters of a list in the order of creation: numbered pages, a cursor, and both directions. */
export const timeOrderQuery = (sort: TimeOrder) =>
	ListQuery.extend({
		sort: TimeOrder.default(sort).meta({ description: 'With `latest`, the newest first' }),
		cursor: PageQuery.shape.cursor,
	})
export type TimeOrderQuery = ListQuery & { sort: TimeOrder; cursor?: string | undefined }

export const describePaging = (records: string) =>
	`Use either \`page\` or \`cursor\`. \`page\` counts from the first record, so new ${records} may shift the content of the pages. \`cursor\` takes the \`X-Next-Cursor\` of the previous response, with the same \`sort\`, and continues after its last record, so none is repeated or skipped. With \`cursor\`, the response always has \`page\` 1.`
