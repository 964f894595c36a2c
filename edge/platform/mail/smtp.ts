import type { SMTPTransportGetSocket } from 'nodemailer/lib/smtp-transport'
import { isLoopback } from '../network/this-machine.ts'
import type { Mailer } from './mail.ts'
import { MailError, type PreparedMail, prepareMail } from './message.ts'
import { openSmtpSocket } from './socket.ts'

type SmtpMailOptions = { url: string; from: string; isProduction: boolean; timeoutMs?: number }

/** The fields that nodemailer adds to an error. */
type SmtpError = Error & { code?: string; responseCode?: number }

export const smtpMailer = ({ url, from, isProduction, timeoutMs = 30_000 }: SmtpMailOptions): Mailer => ({
	kind: 'smtp',
	async send(mail) {
		const server = parseSmtpUrl(url)
		const prepared = await prepareMail(mail, from)
		try {
			await deliver(server, prepared, { requireTls: isProduction && !isLoopback(server.host), timeoutMs })
		} catch (error) {
			throw toMailError(error as SmtpError)
		}
	},
})

type SmtpServer = { host: string; port: number; secure: boolean; auth: { user: string; pass: string } | null }

export function parseSmtpUrl(text: string): SmtpServer {
	const url = new URL(text)
	const secure = url.protocol === 'smtps:'
	const user = decode(url.username)
	return {
		host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
		port: Number(url.port) || (secure ? 465 : 587),
		secure,
		auth: user ? { user, pass: decode(url.password) } : null,
	}
}

function decode(part: string): string {
	try {
		return decodeURIComponent(part)
	} catch {
		throw new MailError('SMTP_URL: contains a % that is not percent-encoded; write %25')
	}
}

type Delivery = { requireTls: boolean; timeoutMs: number }

async function deliver(
	server: SmtpServer,
	mail: PreparedMail,
	{ requireTls, timeoutMs }: Delivery,
): Promise<void> {
	// Imported here, because only this path needs these 400 kB and every isolate would load them at startup.
	const { createTransport } = await import('nodemailer')
	const signal = AbortSignal.timeout(timeoutMs)
	const getSocket: SMTPTransportGetSocket = (_options, done) => {
		openSmtpSocket(server, signal).then(
			(connection) => done(null, { connection, secured: server.secure }),
			(error) => done(error),
		)
	}
	const transport = createTransport({
		host: server.host,
		port: server.port,
		secure: server.secure,
		requireTLS: requireTls,
		...(server.auth && { auth: server.auth }),
		// The name in the EHLO greeting. The default is the host name of the machine, which an isolate does not have.
		name: mail.from.address.slice(mail.from.address.lastIndexOf('@') + 1),
		greetingTimeout: timeoutMs,
		socketTimeout: timeoutMs,
		disableFileAccess: true,
		disableUrlAccess: true,
		getSocket,
	})
	try {
		await transport.sendMail({
			from: mail.from,
			to: { name: '', address: mail.to },
			subject: mail.subject,
			text: mail.text,
			html: mail.html,
			messageId: mail.messageId,
			...(mail.headers && { headers: mail.headers }),
			signal,
		})
	} finally {
		transport.close()
	}
}

/** Keeps only the codes: servers often quote the rejected address in the message, and errors are logged. */
function toMailError(error: SmtpError): MailError {
	if (error instanceof MailError) return error
	const { code = 'unknown', responseCode } = error
	if (code === 'EABORT' || code === 'ETIMEDOUT')
		return new MailError('the SMTP server did not respond in time')
	return new MailError(`SMTP failed: ${code}${responseCode ? ` ${responseCode}` : ''}`)
}
