import { isLoopback } from '../network/this-machine.ts'
import type { Mailer } from './mail.ts'
import { formatSender, MailError, prepareMail } from './message.ts'

type HttpMailOptions = {
	url: string
	key: string | undefined
	from: string
	isProduction: boolean
	timeoutMs?: number
}

/** Sends mails through the JSON API of Resend, which other providers copied. */
export const httpMailer = ({
	url,
	key,
	from,
	isProduction,
	timeoutMs = 15_000,
}: HttpMailOptions): Mailer => ({
	kind: 'http',
	async send(mail) {
		const { protocol, hostname } = new URL(url)
		if (isProduction && protocol === 'http:' && !isLoopback(hostname))
			throw new MailError('MAIL_API_URL: must be https, because it receives the key and one-time codes')
		const { to, subject, text, html, headers, idempotencyKey, ...prepared } = await prepareMail(mail, from)
		const body = { from: formatSender(prepared.from), to, subject, text, html, ...(headers && { headers }) }
		const response = await fetch(url, {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				...(key && { authorization: `Bearer ${key}` }),
				'idempotency-key': idempotencyKey,
				// Some providers reject requests without a user agent.
				'user-agent': 'playhouse',
			},
			body: JSON.stringify(body),
			// Following a redirect would send the key and the mail to a host that was not configured.
			redirect: 'manual',
			signal: AbortSignal.timeout(timeoutMs),
		}).catch((error: unknown) => {
			const timedOut = error instanceof Error && error.name === 'TimeoutError'
			throw new MailError(timedOut ? 'the mail API did not respond in time' : "the mail API can't be reached")
		})
		// An unread body would block the connection. It is discarded, because it may quote the mail.
		await response.body?.cancel()
		if (!response.ok) throw new MailError(`the mail API returned ${response.status}`)
	},
})
