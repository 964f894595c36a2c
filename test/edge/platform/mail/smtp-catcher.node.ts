import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type Caught = {
	/** Whether it came over TLS. */
	secure: boolean
	auth: { method: string; user: string; password: string } | null
	from: string
	to: string[]
	raw: string
}

type CatcherOptions = SMTPServerOptions & {
	/** Given, a caller has to show it. */
	password?: string
	/** The reply to the whole message, if not a yes. */
	refuseData?: { code: number; message: string }
	refuseRecipient?: { code: number; message: string }
}

const refusal = ({ code, message }: { code: number; message: string }) =>
	Object.assign(new Error(message), { responseCode: code })

/** A real SMTP server on a free loopback port that keeps what it is sent. */
export async function catchMails(options: CatcherOptions = {}) {
	const { password, refuseData, refuseRecipient, ...rest } = options
	const caught: Caught[] = []
	const logins = new Map<string, Caught['auth']>()
	const server = new SMTPServer({
		authOptional: password === undefined,
		authMethods: ['PLAIN', 'LOGIN'],
		disableReverseLookup: true,
		...(!rest.key && { disabledCommands: ['STARTTLS'], allowInsecureAuth: true }),
		onAuth(auth, session, done) {
			if (password !== undefined && auth.password !== password)
				return done(refusal({ code: 535, message: 'no such login' }))
			logins.set(session.id, {
				method: auth.method,
				user: auth.username ?? '',
				password: auth.password ?? '',
			})
			done(null, { user: auth.username ?? '' })
		},
		onRcptTo(_address, _session, done) {
			done(refuseRecipient ? refusal(refuseRecipient) : null)
		},
		onData(stream, session, done) {
			const chunks: Buffer[] = []
			stream.on('data', (chunk: Buffer) => chunks.push(chunk))
			stream.on('end', () => {
				if (refuseData) return done(refusal(refuseData))
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
	const trouble: string[] = []
	server.on('error', (error) => trouble.push(error.message))
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
	const { port } = server.server.address() as AddressInfo
	return {
		port,
		caught,
		/** What went wrong on connections, TLS handshakes for one. */
		trouble,
		async [Symbol.asyncDispose]() {
			await new Promise<void>((resolve) => server.close(() => resolve()))
		},
	}
}
