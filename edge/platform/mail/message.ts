import { Email } from '#schema/contract/kit/fields.ts'
import { sha256 } from '../tokens/digest.ts'
import type { Mail } from './mail.ts'

/**
 * Contains neither the recipient nor parts of the mail, because it is logged. Server responses often quote both, so
 * only their codes may be included.
 */
export class MailError extends Error {
	override name = 'MailError'
}

export type Sender = { name: string; address: string }

/** A mail that every transport can send unchanged: a one-line subject and valid addresses. */
export type PreparedMail = Omit<Mail, 'idempotencyKey' | 'unsubscribeUrl'> & {
	from: Sender
	/** Additional headers; undefined if there are none. */
	headers: Record<string, string> | undefined
	idempotencyKey: string
	/** Equal for each attempt, so that mail clients deduplicate or thread them. */
	messageId: string
}

const ADDRESS = /^[^\s<>()[\]",;:\\@]+@[^\s<>()[\]",;:\\@]+$/

/** Less strict than the check of recipients, because `playhouse@localhost` is a valid sender in development. */
export function parseSender(text: string): Sender {
	const found = /^(?:"([^"<>]*)"\s*|([^"<>]*))<([^<>]*)>$/.exec(text.trim())
	const [name, address] = found ? [(found[1] ?? found[2] ?? '').trim(), found[3] ?? ''] : ['', text.trim()]
	if (!ADDRESS.test(address)) throw new MailError('MAIL_FROM is not a mail address')
	return { name: toOneLine(name), address }
}

/** Removes line breaks (header injection) and direction marks, since subjects contain names of organizations. */
export const toOneLine = (text: string): string =>
	text
		.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
		.replace(/ {2,}/g, ' ')
		.trim()

export async function prepareMail({ unsubscribeUrl, ...mail }: Mail, from: string): Promise<PreparedMail> {
	const to = Email.safeParse(mail.to)
	if (!to.success) throw new MailError('the recipient is not a mail address')
	const sender = parseSender(from)
	const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
	return {
		...mail,
		to: to.data,
		subject: toOneLine(mail.subject),
		from: sender,
		headers: unsubscribeUrl === undefined ? undefined : unsubscribeHeaders(unsubscribeUrl),
		messageId: `<${await sha256(mail.idempotencyKey)}@${domain}>`,
	}
}

const unsubscribeHeaders = (url: string): Record<string, string> => ({
	'List-Unsubscribe': `<${new URL(url).href}>`,
	'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** Returns the sender with its display name as a quoted string of RFC 5322. */
export const formatSender = ({ name, address }: Sender): string =>
	name ? `"${name.replaceAll('\\', '').replaceAll('"', '')}" <${address}>` : address
