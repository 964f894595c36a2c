import type { Log } from '../log.ts'
import type { Mailer } from './mail.ts'
import { formatSender, MailError, prepareMail } from './message.ts'

const rule = '─'.repeat(72)

/**
 * Prints mails in development, so that one-time codes can be read without a mail server. Never used in production,
 * because it prints addresses.
 */
export const consoleMailer = (options: {
	from: string
	/** Shows mails in a local browser. Only local runs bind it (scripts/mailbox). */
	mailbox?: Fetcher | undefined
	print?: (block: string) => void
}): Mailer => ({
	kind: 'console',
	async send(mail) {
		const { from, to, subject, text, html, messageId } = await prepareMail(mail, options.from)
		const sender = formatSender(from)
		const head = `From:    ${sender}\nTo:      ${to}\nSubject: ${subject}`
		// One call, so that lines of other requests can't interleave.
		;(options.print ?? console.log)(`\n${rule}\n${head}\n\n${text.trimEnd()}\n${rule}\n`)
		const body = JSON.stringify({ messageId, from: sender, to, subject, text, html })
		await options.mailbox?.fetch('http://mailbox/', { method: 'POST', body })
	},
})

/** Used in production without a mail transport. Every mail fails and becomes a dead letter; nothing is printed. */
export const missingMailer = (log: Log): Mailer => ({
	kind: 'console',
	async send() {
		log.warn('mail is not set up: set SMTP_URL, MAIL_API_URL or an EMAIL binding')
		throw new MailError('mail is not set up')
	},
})
