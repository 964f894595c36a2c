import { type Bindings, parseEnv } from '../../../../edge/platform/env.ts'
import { consoleLog } from '../../../../edge/platform/log.ts'
import { httpMailer } from '../../../../edge/platform/mail/http.ts'
import type { Mail } from '../../../../edge/platform/mail/mail.ts'
import { openMailer } from '../../../../edge/platform/mail/mailer.ts'
import { smtpMailer } from '../../../../edge/platform/mail/smtp.ts'

/** `timeoutMs` is for tests of servers that hang; other tests use `openMailer`. */
export type MailRequest = { mail: Mail; vars?: Record<string, string>; timeoutMs?: number }
export type Outcome = { kind: string; ms: number; error?: string }

/** A Worker that sends one mail per request with the product's mailer. */
export default {
	async fetch(request: Request, bindings: Bindings): Promise<Response> {
		const { mail, vars, timeoutMs } = (await request.json()) as MailRequest
		const env = parseEnv({ ...bindings, ...vars })
		const { SMTP_URL, MAIL_API_URL, MAIL_API_KEY, MAIL_FROM: from } = env.vars
		const { isProduction } = env
		const mailer =
			timeoutMs === undefined
				? openMailer(env, consoleLog)
				: SMTP_URL
					? smtpMailer({ url: SMTP_URL, from, isProduction, timeoutMs })
					: httpMailer({ url: MAIL_API_URL ?? '', key: MAIL_API_KEY, from, isProduction, timeoutMs })
		const started = Date.now()
		const outcome: Outcome = { kind: mailer.kind, ms: 0 }
		await mailer.send(mail).catch((error: Error) => {
			outcome.error = error.message
		})
		return Response.json({ ...outcome, ms: Date.now() - started })
	},
}
