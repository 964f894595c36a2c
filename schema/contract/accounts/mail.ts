import { z } from 'zod'
import { describeOperations } from '../kit/operation.ts'

const operation = describeOperations('Mail')
const html = 'text/html; charset=utf-8'
export const MAX_FORM_BYTES = 4_096

/** Marks the link that reports an invitation; the other link of the mail only unsubscribes. */
const Report = z.literal('1').optional()

export const showUnsubscribePage = operation({
	id: 'showUnsubscribePage',
	method: 'get',
	path: '/unsubscribe',
	summary: 'Show the unsubscribe page of an invitation email',
	description: 'Changes nothing, because mail programs open links on their own to check them.',
	auth: 'public',
	query: z.object({ token: z.string().max(512).optional(), report: Report }),
	answersWith: html,
})

export const unsubscribe = operation({
	id: 'unsubscribe',
	method: 'post',
	path: '/unsubscribe',
	summary: 'Unsubscribe from invitations, or report one',
	description:
		"Used by the page, and by mail programs that unsubscribe with one click (RFC 8058: `List-Unsubscribe=One-Click`). `choice` may be `report`, which also revokes the invitation, or `allow`, which subscribes again. The token from the email is enough; no session is needed. Codes and notices about the recipient's own account are still sent.",
	auth: 'public',
	audit: 'none: own account',
	idempotencyKey: { needless: 'an address is refused once' },
	shield: 'public-write',
	query: z.object({ token: z.string().max(512), report: Report }),
	takesBytes: { type: 'application/x-www-form-urlencoded', maxBytes: MAX_FORM_BYTES, optional: true },
	answersWith: html,
	errors: ['not_found', 'not_configured'],
})
