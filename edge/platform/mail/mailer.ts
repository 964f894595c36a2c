import type { Env } from '../env.ts'
import type { Log } from '../log.ts'
import { bindingMailer } from './binding.ts'
import { consoleMailer, missingMailer } from './console.ts'
import { httpMailer } from './http.ts'
import type { Mailer } from './mail.ts'
import { smtpMailer } from './smtp.ts'

/**
 * Opens the configured transport. Variables take precedence over the binding, which may lack a configured sending
 * domain; SMTP takes precedence over the API, for a local mail catcher.
 */
export function openMailer(env: Env, log: Log): Mailer {
	const { SMTP_URL, MAIL_API_URL, MAIL_API_KEY, MAIL_FROM } = env.vars
	const { EMAIL, MAILBOX } = env.bindings
	const { isProduction } = env
	if (SMTP_URL) return smtpMailer({ url: SMTP_URL, from: MAIL_FROM, isProduction })
	if (MAIL_API_URL) return httpMailer({ url: MAIL_API_URL, key: MAIL_API_KEY, from: MAIL_FROM, isProduction })
	if (EMAIL) return bindingMailer({ binding: EMAIL, from: MAIL_FROM })
	return isProduction ? missingMailer(log) : consoleMailer({ from: MAIL_FROM, mailbox: MAILBOX })
}
