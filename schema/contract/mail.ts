import { z } from 'zod'
import { operation } from './operation.ts'

const tag = 'Mail'
const html = 'text/html; charset=utf-8'
export const MAX_FORM_BYTES = 4_096

/** The mail's address says which of its two links was opened. */
const Report = z.literal('1').optional()

export const showUnsubscribePage = operation({
	id: 'showUnsubscribePage',
	method: 'get',
	path: '/unsubscribe',
	tag,
	summary: 'Show the page behind the small links of an invitation mail',
	description: 'Changes nothing: mail programs open links to look at them.',
	auth: 'public',
	query: z.object({ token: z.string().max(512).optional(), report: Report }),
	status: 200,
	answersWith: html,
})

export const unsubscribe = operation({
	id: 'unsubscribe',
	method: 'post',
	path: '/unsubscribe',
	tag,
	summary: 'Refuse further invitations to an address, or report one',
	description:
		'For the page, and for mail programs that unsubscribe with one click (RFC 8058: `List-Unsubscribe=One-Click`). `choice` may be `report`, which also ends the invitation, or `allow`, which takes the refusal back. Needs no session; the token of the mail is enough. Codes and notices of an own account are not stopped.',
	auth: 'public',
	shield: 'public-write',
	query: z.object({ token: z.string().max(512), report: Report }),
	takesBytes: { type: 'application/x-www-form-urlencoded', maxBytes: MAX_FORM_BYTES, optional: true },
	status: 200,
	answersWith: html,
	errors: ['not_found', 'not_configured'],
})
