import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Caught = {
	/** Whether the mail arrived over TLS. */
	secure: boolean
	auth: { method: string; user: string; password: string } | null
	from: string
	to: string[]
	raw: string
}

type CatcherOptions = SMTPServerOptions & {
	/** If set, clients must authenticate with it. */
	password?: string
	/** The error reply to the whole message. */
	rejectData?: { code: number; message: string }
	rejectRecipient?: { code: number; message: string }
}

const smtpError = ({ code, message }: { code: number; message: string }) =>
	Object.assign(new Error(message), { responseCode: code })

/** Starts a real SMTP server on a free loopback port that keeps the mails it receives. */
export async function catchMails(options: CatcherOptions = {}) {
	const { password, rejectData, rejectRecipient, ...rest } = options
	const caught: Caught[] = []
	const logins = new Map<string, Caught['auth']>()
	const server = new SMTPServer({
		authOptional: password === undefined,
		authMethods: ['PLAIN', 'LOGIN'],
		disableReverseLookup: true,
		...(!rest.key && { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
		onAuth(auth, session, done) {
			if (password !== undefined && auth.password !== password)
				return done(smtpError({ code: 535, message: 'no such login' }))
			logins.set(session.id, {
				method: auth.method,
				user: auth.username ?? '',
				password: auth.password ?? '',
			})
			done(null, { user: auth.username ?? '' })
		},
		onRcptTo(_address, _session, done) {
			done(rejectRecipient ? smtpError(rejectRecipient) : null)
		},
		onData(stream, session, done) {
			const chunks: Buffer[] = []
			stream.on('data', (chunk: Buffer) => chunks.push(chunk))
			stream.on('end', () => {
				if (rejectData) return done(smtpError(rejectData))
				const { mailFrom, rcptTo } = session.envelope
				caught.push({
					secure: session.secure,
					auth: logins.get(session.id) ?? null,
					from: mailFrom ? mailFrom.address : '',
					to: rcptTo.map(({ address }) => address),
					raw: Buffer.concat(chunks).toString('latin1'),
				})
				done()
			})
		},
		...rest,
	})
	const connectionErrors: string[] = []
	server.on('error', (error) => connectionErrors.push(error.message))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
	const { port } = server.server.address() as AddressInfo
	return {
		port,
		caught,
		/** Errors of connections, such as failed TLS handshakes. */
		connectionErrors,
		async [Symbol.asyncDispose]() {
			await new Promise<void>((resolve) => server.close(() => resolve()))
		},
	}
}
