import { Email } from '#schema/contract/kit/fields.ts'
import { sha256 } from '../tokens/digest.ts'
import type { Mail } from './mail.ts'

/**
 * Names neither the addressee nor anything out of the mail: it goes into logs. What a server answers often quotes
 * both, so answers are cut down to their codes before they get here.
 */
export class MailError extends Error {
	override name = 'MailError'
}

export type Sender = { name: string; address: string }

/** A mail that any transport may take as it is: one line for a subject, one checked address at each end. */
export type PreparedMail = Omit<Mail, 'idempotencyKey' | 'unsubscribeUrl'> & {
	from: Sender
	/** Besides those that every mail has; none, if there is nothing to say. */
	headers: Record<string, string> | undefined
	idempotencyKey: string
	/** The same for each attempt, so that mail clients show duplicates once or as one thread. */
	messageId: string
}

const ADDRESS = /^[^\s<>()[\]",;:\\@]+@[^\s<>()[\]",;:\\@]+$/

/** `playhouse@localhost` is a good sender on a machine of one's own, so this is looser than an addressee. */
export function parseSender(text: string): Sender {
	const found = /^(?:"?([^"<>]*?)"?\s*)<([^<>]*)>$/.exec(text.trim())
	const [name, address] = found ? [found[1] ?? '', found[2] ?? ''] : ['', text.trim()]
	if (!ADDRESS.test(address)) throw new MailError('MAIL_FROM is not a mail address')
	return { name: oneLine(name), address }
}

/** Names of organizations end up in subjects: no line breaks (header injection), no switching of the reading direction. */
export const oneLine = (text: string): string =>
	text
		.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
		.replace(/ {2,}/g, ' ')
		.trim()

export async function prepareMail({ unsubscribeUrl, ...mail }: Mail, from: string): Promise<PreparedMail> {
	const to = Email.safeParse(mail.to)
	if (!to.success) throw new MailError('the addressee is not a mail address')
	const sender = parseSender(from)
	const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
	return {
		...mail,
		to: to.data,
		subject: oneLine(mail.subject),
		from: sender,
		headers: unsubscribeUrl === undefined ? undefined : unsubscribeHeaders(unsubscribeUrl),
		messageId: `<${await sha256(mail.idempotencyKey)}@${domain}>`,
	}
}

const unsubscribeHeaders = (url: string): Record<string, string> => ({
	'List-Unsubscribe': `<${new URL(url).href}>`,
	'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

/** A display name as RFC 5322 wants it between quotes. */
export const formatSender = ({ name, address }: Sender): string =>
	name ? `"${name.replaceAll('\\', '').replaceAll('"', '')}" <${address}>` : address

/** Nothing that travels to one's own machine can be listened to on the way. */
export const isLoopback = (hostname: string): boolean =>
	hostname === 'localhost' ||
	hostname === '[::1]' ||
	hostname === '::1' ||
	/^127(\.\d{1,3}){3}$/.test(hostname)
