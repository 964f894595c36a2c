import type { Log } from '../log.ts'
import type { Mailer } from './mail.ts'
import { formatSender, MailError, prepareMail } from './message.ts'

const rule = '─'.repeat(72)

/**
 * For development: where one-time codes are read when no mail is set up. The one place that prints an address,
 * which is why production does not get it.
 */
export const consoleMailer = (options: {
	from: string
	/** Shows mails in a browser of this machine; bound by local runs only (scripts/mailbox). */
	mailbox?: Fetcher | undefined
	print?: (block: string) => void
}): Mailer => ({
	kind: 'console',
	async send(mail) {
		const { from, to, subject, text, html, messageId } = await prepareMail(mail, options.from)
		const sender = formatSender(from)
		const head = `From:    ${sender}\nTo:      ${to}\nSubject: ${subject}`
		// One call, or lines of other requests get in between.
		;(options.print ?? console.log)(`\n${rule}\n${head}\n\n${text.trimEnd()}\n${rule}\n`)
		const body = JSON.stringify({ messageId, from: sender, to, subject, text, html })
		await options.mailbox?.fetch('http://mailbox/', { method: 'POST', body })
	},
})

/** For production without any mail set up: each mail fails, so it is found among the dead letters, and nothing is printed. */
export const missingMailer = (log: Log): Mailer => ({
	kind: 'console',
	async send() {
		log.warn('mail is not set up: set SMTP_URL, MAIL_API_URL or an EMAIL binding')
		throw new MailError('mail is not set up')
	},
})
