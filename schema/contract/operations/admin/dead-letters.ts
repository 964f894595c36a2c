import { z } from 'zod'
import { data, Timestamp } from '../../kit/fields.ts'
import { describeOperations } from '../../kit/operation.ts'
import { dataPage, PageQuery } from '../../kit/page.ts'

const operation = describeOperations('Operators')
const DeadLetterId = z.string().regex(/^dlt_[\w-]{1,100}$/)

export const DeadLetter = z
	.object({
		id: DeadLetterId,
		queue: z.string(),
		type: z.string(),
		body: z.record(z.string(), z.unknown()).meta({ description: 'Without addresses, codes and texts' }),
		attempts: z.int(),
		state: z.enum(['kept', 'retried']),
		retryable: z.boolean().meta({
			description: "False after the retry, and for messages that can't be sent without what was left out",
		}),
		createdAt: Timestamp,
		retriedAt: Timestamp.nullable(),
	})
	.meta({ id: 'DeadLetter' })
export type DeadLetter = z.infer<typeof DeadLetter>

export const listDeadLetters = operation({
	id: 'listDeadLetters',
	method: 'get',
	path: '/v1/admin/dead-letters',
	summary: 'List queue messages that failed for good, newest first',
	description: 'They are kept for 90 days.',
	auth: 'superadmin',
	query: PageQuery,
	paged: true,
	response: dataPage(DeadLetter),
})

const LetterParams = z.object({ deadLetterId: DeadLetterId })

export const retryDeadLetter = operation({
	id: 'retryDeadLetter',
	method: 'post',
	path: '/v1/admin/dead-letters/{deadLetterId}/retry',
	summary: 'Send a message to its queue again',
	description: 'Once. If it fails for good again, it is listed as another dead letter.',
	auth: 'superadmin',
	audit: 'dead_letter.retried',
	params: LetterParams,
	status: 202,
	response: data(DeadLetter),
	errors: ['conflict'],
})

export const discardDeadLetter = operation({
	id: 'discardDeadLetter',
	method: 'delete',
	path: '/v1/admin/dead-letters/{deadLetterId}',
	summary: 'Delete a message that failed for good',
	auth: 'superadmin',
	audit: 'dead_letter.discarded',
	params: LetterParams,
	response: data(z.object({ id: DeadLetterId, deleted: z.literal(true) })),
})
