import type { Mailer } from './mail.ts'
import { MailError, prepareMail } from './message.ts'

/**
 * Cloudflare Email Service. It makes the Message-ID itself and refuses one in `headers`, so two sends of one mail
 * are two mails there.
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
			// Its messages quote addresses; its codes do not.
			const code = (error as { code?: unknown }).code
			const known = typeof code === 'string' && /^E_[A-Z_]{1,40}$/.test(code) ? code : 'no code'
			throw new MailError(`the mail binding refused a mail (${known})`)
		}
	},
})
