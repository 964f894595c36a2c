import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificates } from './certificates.node.ts'
import { readMail } from './read-mail.node.ts'
import { startSending } from './sending.node.ts'
import { catchMails } from './smtp-catcher.node.ts'

let certificates: Awaited<ReturnType<typeof makeCertificates>>
let sending: Awaited<ReturnType<typeof startSending>>

beforeAll(async () => {
	certificates = await makeCertificates(['localhost', 'elsewhere.example'])
	sending = await startSending({ trustedAuthority: certificates.authorityPath })
})
afterAll(async () => {
	await sending?.worker.dispose()
	await certificates?.remove()
})

const production = { ENVIRONMENT: 'production', MAIL_FROM: 'Playhouse <play@example.com>' }

describe('a mail over SMTP', () => {
	it('a mail over SMTP arrives unchanged, with both bodies and the sender of the installation', async () => {
		await using server = await catchMails()
		const vars = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'Käse & Co. <play@example.com>' }
		const outcome = await sending.send(vars, {
			subject:
				'Grüße 🎬 from a company with a rather long name, so that the subject has to be folded somewhere',
			text: 'Zażółć gęślą jaźń\n',
			html: '<p>Zażółć 🎬</p>',
		})
		expect(outcome).toMatchObject({ kind: 'smtp' })
		expect(outcome.error).toBeUndefined()
		const [mail] = server.caught
		expect(mail).toMatchObject({
			from: 'play@example.com',
			to: ['ann@example.org'],
			secure: false,
			auth: null,
		})
		const read = readMail(mail?.raw ?? '')
		expect(read.header('from')).toEqual(['Käse & Co. <play@example.com>'])
		expect(read.header('to')).toEqual(['ann@example.org'])
		expect(read.header('subject')).toEqual([
			'Grüße 🎬 from a company with a rather long name, so that the subject has to be folded somewhere',
		])
		expect(read.parts.get('text/plain')).toBe('Zażółć gęślą jaźń\n')
		expect(read.parts.get('text/html')).toBe('<p>Zażółć 🎬</p>')
	})

	it('a mail over SMTP keeps lines that start with a dot, and wraps too long lines', async () => {
		await using server = await catchMails()
		const text = `one\n.\n..two\n${'x'.repeat(5_000)}\nQUIT\n`
		await sending.send(
			{ SMTP_URL: `smtp://127.0.0.1:${server.port}` },
			{ text, html: `<p>${'ü'.repeat(3_000)}</p>` },
		)
		const raw = server.caught[0]?.raw ?? ''
		expect(readMail(raw).parts.get('text/plain')).toBe(text)
		expect(readMail(raw).parts.get('text/html')).toBe(`<p>${'ü'.repeat(3_000)}</p>`)
		expect(Math.max(...raw.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998)
	})

	it('a mail over SMTP has unsubscribe headers of one line each if it has an unsubscribe URL', async () => {
		await using server = await catchMails()
		const unsubscribeUrl = `https://play.example.com/unsubscribe?token=${'a'.repeat(200)}\r\nBcc: eve@example.net`
		await sending.send({ SMTP_URL: `smtp://127.0.0.1:${server.port}` }, { unsubscribeUrl })
		const read = readMail(server.caught[0]?.raw ?? '')
		expect(read.header('list-unsubscribe')).toEqual([`<${new URL(unsubscribeUrl).href}>`])
		expect(read.header('list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click'])
		expect(read.header('bcc')).toEqual([])
	})

	it('a mail over SMTP has one Message-ID for all its attempts, and another mail another one', async () => {
		await using server = await catchMails()
		const vars = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'play@example.com' }
		for (const idempotencyKey of ['msg_1', 'msg_1', 'msg_2']) await sending.send(vars, { idempotencyKey })
		const [first, second, other] = server.caught.map(({ raw }) => readMail(raw).header('message-id')[0])
		expect(first).toMatch(/^<[\w-]{43}@example\.com>$/)
		expect(second).toBe(first)
		expect(other).not.toBe(first)
	})

	it('no subject, recipient or sender can add headers or recipients to a mail over SMTP', async () => {
		await using server = await catchMails()
		const vars = { SMTP_URL: `smtp://127.0.0.1:${server.port}` }
		await sending.send(
			{ ...vars, MAIL_FROM: 'Play\r\nBcc: eve@example.net <play@example.com>' },
			{ subject: 'Join “x\r\nBcc: eve@example.net\r\n\r\n<b>hi</b>”\u2028\u202e' },
		)
		const [mail] = server.caught
		expect(mail?.to).toEqual(['ann@example.org'])
		const read = readMail(mail?.raw ?? '')
		expect(read.header('bcc')).toEqual([])
		expect(read.header('subject')).toEqual(['Join “x Bcc: eve@example.net <b>hi</b>”'])
		expect(read.header('from')).toEqual(['"Play Bcc: eve@example.net" <play@example.com>'])

		for (const to of [
			'ann@example.org\r\nRCPT TO:<eve@example.net>',
			'ann@example.org, eve@example.net',
			'<a@b.c>',
			'',
		])
			expect(await sending.send(vars, { to })).toMatchObject({ error: 'the recipient is not a mail address' })
		expect(server.caught).toHaveLength(1)
	})
})

describe('the connection to the server', () => {
	it.each(['PLAIN', 'LOGIN'])(
		'the SMTP connection authenticates with %s and characters that a URL must escape',
		async (method) => {
			await using server = await catchMails({ password: 'p@ss:/w%rd', authMethods: [method] })
			const outcome = await sending.send({
				SMTP_URL: `smtp://me%40example.org:p%40ss%3A%2Fw%25rd@127.0.0.1:${server.port}`,
			})
			expect(outcome.error).toBeUndefined()
			expect(server.caught[0]?.auth).toEqual({ method, user: 'me@example.org', password: 'p@ss:/w%rd' })
		},
	)

	it('the SMTP connection starts TLS before it sends a password, and checks the certificate’s name', async () => {
		await using server = await catchMails({ ...certificates.pairs.localhost, password: 'secret' })
		const outcome = await sending.send({
			...production,
			SMTP_URL: `smtp://me:secret@localhost:${server.port}`,
		})
		expect(outcome.error).toBeUndefined()
		expect(server.caught[0]).toMatchObject({ secure: true, auth: { user: 'me' } })
	})

	it('the SMTP connection uses TLS from the start with smtps', async () => {
		await using server = await catchMails({
			...certificates.pairs.localhost,
			secure: true,
			password: 'secret',
		})
		const outcome = await sending.send({
			...production,
			SMTP_URL: `smtps://me:secret@localhost:${server.port}`,
		})
		expect(outcome.error).toBeUndefined()
		expect(server.caught[0]).toMatchObject({ secure: true, auth: { user: 'me' } })
	})

	it.each([
		['smtp', false],
		['smtps', true],
	])(
		'an SMTP connection with %s sends nothing to a server with the certificate of another host',
		async (scheme, secure) => {
			await using server = await catchMails({ ...certificates.pairs['elsewhere.example'], secure })
			const outcome = await sending.send({ SMTP_URL: `${scheme}://me:secret@localhost:${server.port}` })
			expect(outcome.error).toMatch(/^SMTP failed: /)
			expect(server.caught).toEqual([])
		},
	)

	it('an SMTP connection in production is unencrypted only to the local machine', async () => {
		await using server = await catchMails()
		expect(
			(await sending.send({ ...production, SMTP_URL: `smtp://127.0.0.1:${server.port}` })).error,
		).toBeUndefined()
		// Another address of this machine that is not recognized as loopback.
		const SMTP_URL = `smtp://0.0.0.0:${server.port}`
		expect((await sending.send({ ...production, SMTP_URL })).error).toMatch(/^SMTP failed: ETLS/)
		expect((await sending.send({ SMTP_URL })).error).toBeUndefined()
		expect(server.caught).toHaveLength(2)
	})
})

describe('a server that rejects a mail', () => {
	it.each([
		['an unknown login', { password: 'another' }, 'SMTP failed: EAUTH 535'],
		[
			'a recipient temporarily',
			{ rejectRecipient: { code: 450, message: 'ann@example.org is busy' } },
			'SMTP failed: EENVELOPE 450',
		],
		[
			'a recipient permanently',
			{ rejectRecipient: { code: 550, message: 'no ann@example.org here' } },
			'SMTP failed: EENVELOPE 550',
		],
		[
			'a message temporarily',
			{ rejectData: { code: 451, message: 'disk of ann@example.org full' } },
			'SMTP failed: EMESSAGE 451',
		],
		[
			'a message permanently',
			{ rejectData: { code: 554, message: 'Hello, Ann. is spam' } },
			'SMTP failed: EMESSAGE 554',
		],
	])(
		'an SMTP server that rejects %s causes an error with codes but without address or text',
		async (_, options, error) => {
			await using server = await catchMails(options)
			const outcome = await sending.send({ SMTP_URL: `smtp://me:secret@127.0.0.1:${server.port}` })
			expect(outcome.error).toBe(error)
			expect(server.caught).toEqual([])
		},
	)

	it('an unreachable SMTP server causes an error', async () => {
		expect((await sending.send({ SMTP_URL: 'smtp://127.0.0.1:1' })).error).toMatch(/^SMTP failed: /)
	})

	it.each([
		['sends no greeting', []],
		['sends a greeting and then nothing', ['220 hello\r\n']],
		['sends nothing after the envelope', ['220 hello\r\n', '250 hi\r\n', '250 ok\r\n', '250 ok\r\n']],
	])(
		'an SMTP server that %s: the mail fails after the timeout and the connection is closed',
		async (_, replies) => {
			await using server = await startSilentServer(replies)
			const outcome = await sending.send({ SMTP_URL: `smtp://127.0.0.1:${server.port}` }, {}, 400)
			expect(outcome.error).toBe('the SMTP server did not respond in time')
			await server.closed
		},
	)
})

/** Starts a server that sends one of the replies per line and then nothing. */
async function startSilentServer(replies: string[]) {
	const left = [...replies]
	const { promise: closed, resolve } = Promise.withResolvers<void>()
	const sockets = new Set<Socket>()
	const server = createServer((socket) => {
		sockets.add(socket)
		const answer = () => {
			const reply = left.shift()
			if (reply) socket.write(reply)
		}
		answer()
		socket.on('data', answer)
		socket.on('error', () => socket.destroy())
		socket.on('close', () => resolve())
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	return {
		port: (server.address() as AddressInfo).port,
		closed,
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy()
			server.close()
		},
	}
}
