import type { Log } from './log.ts'
import { formatSender, MailError, prepareMail } from './mail-message.ts'
import type { Mailer } from './mailer.ts'

const rule = '─'.repeat(72)

/**
 * For development: where one-time codes are read when no mail is set up. The one place that prints an address,
 * which is why production does not get it.
 */
export const consoleMailer = (options: { from: string; print?: (block: string) => void }): Mailer => ({
	kind: 'console',
	async send(mail) {
		const { from, to, subject, text } = await prepareMail(mail, options.from)
		const head = `From:    ${formatSender(from)}\nTo:      ${to}\nSubject: ${subject}`
		// One call, or lines of other requests get in between.
		;(options.print ?? console.log)(`\n${rule}\n${head}\n\n${text.trimEnd()}\n${rule}\n`)
	},
})

/** For production without any mail set up: each mail fails, so it is found among the dead letters, and nothing is printed. */
export const missingMailer = (log: Log): Mailer => ({
	kind: 'console',
	async send() {
		log.warn('mail is not configured: set SMTP_URL, MAIL_API_URL or an EMAIL binding')
		throw new MailError('mail is not configured')
	},
})
