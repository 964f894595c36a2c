import type { Mailer } from './mail.ts'
import { MailError, prepareMail } from './message.ts'

/**
 * Sends mails through Cloudflare Email Service. The service creates the Message-ID and rejects one in `headers`, so
 * recipients can't recognize a duplicate.
 */
export const bindingMailer = (options: { binding: SendEmail; from: string }): Mailer => ({
	kind: 'binding',
	async send(mail) {
		const { from, to, subject, text, html, headers } = await prepareMail(mail, options.from)
		try {
			await options.binding.send({
				from: { name: from.name, email: from.address },
				to,
				subject,
				text,
				html,
				...(headers && { headers }),
			})
		} catch (error) {
			// Only the code is used, because the messages quote addresses.
			const code = (error as { code?: unknown }).code
			const known = typeof code === 'string' && /^E_[A-Z_]{1,40}$/.test(code) ? code : 'no code'
			throw new MailError(`the mail binding rejected a mail (${known})`)
		}
	},
})
