/** @module-tag d1 */
import { beforeEach, describe, expect, it } from 'vitest'
import { type Bindings, parseEnv } from '../../../../edge/platform/env.ts'
import { jsonLog } from '../../../../edge/platform/log.ts'
import { bindingMailer } from '../../../../edge/platform/mail/binding.ts'
import type { Mail } from '../../../../edge/platform/mail/mail.ts'
import { openMailer } from '../../../../edge/platform/mail/mailer.ts'
import { formatSender, parseSender, toOneLine } from '../../../../edge/platform/mail/message.ts'
import { parseSmtpUrl } from '../../../../edge/platform/mail/smtp.ts'
import { isLoopback } from '../../../../edge/platform/network/this-machine.ts'

const silent = jsonLog(() => {})
const mail: Mail = {
	to: 'ann@example.org',
	subject: 'Hello\r\nBcc: eve@example.net',
	text: 'Hello.',
	html: '<p>Hello.</p>',
	idempotencyKey: 'msg_1',
}

describe('the mail transport', () => {
	const smtp = { SMTP_URL: 'smtp://mail.example.com' }
	const api = { MAIL_API_URL: 'https://mail.example.com' }
	const binding = { EMAIL: { send: async () => ({ messageId: '1' }) } }
	it.each([
		['smtp', { ...smtp, ...api, ...binding }],
		['http', { ...api, ...binding }],
		['binding', binding],
		['binding', { SMTP_URL: '', MAIL_API_URL: '', ...binding }],
		['console', {}],
	])('the mail transport is %s for %o', (kind, set) => {
		const env = parseEnv({ DB: {}, ...set } as unknown as Bindings)
		expect(openMailer(env, silent).kind).toBe(kind)
	})
})

describe('a mail through the binding', () => {
	let sent: unknown[]
	beforeEach(() => {
		sent = []
	})
	const mailer = (answer: () => Promise<unknown>) =>
		bindingMailer({
			from: 'Playhouse <play@example.com>',
			binding: {
				send: (message: unknown) => {
					sent.push(message)
					return answer()
				},
			} as unknown as SendEmail,
		})

	it('a mail through the binding has the sender, the recipient and a subject of one line', async () => {
		await mailer(async () => ({ messageId: '1' })).send(mail)
		expect(sent).toEqual([
			{
				from: { name: 'Playhouse', email: 'play@example.com' },
				to: 'ann@example.org',
				subject: 'Hello Bcc: eve@example.net',
				text: 'Hello.',
				html: '<p>Hello.</p>',
			},
		])
	})

	it('a mail through the binding has unsubscribe headers if it has an unsubscribe URL', async () => {
		const unsubscribeUrl = 'https://play.example.com/unsubscribe?token=a.b'
		await mailer(async () => ({ messageId: '1' })).send({ ...mail, unsubscribeUrl })
		expect(sent).toMatchObject([
			{
				headers: {
					'List-Unsubscribe': `<${unsubscribeUrl}>`,
					'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
				},
			},
		])
	})

	it.each([
		[{ code: 'E_RATE_LIMIT_EXCEEDED' }, 'the mail binding rejected a mail (E_RATE_LIMIT_EXCEEDED)'],
		[{ code: 'ann@example.org' }, 'the mail binding rejected a mail (no code)'],
		[{}, 'the mail binding rejected a mail (no code)'],
	])(
		'a mail that the binding rejects with %o fails without the address in the error',
		async (extra, message) => {
			const refuse = () =>
				Promise.reject(Object.assign(new Error('email to ann@example.org not allowed'), extra))
			await expect(mailer(refuse).send(mail)).rejects.toThrow(message)
		},
	)
})

describe('the sender', () => {
	it.each([
		['Playhouse <play@example.com>', { name: 'Playhouse', address: 'play@example.com' }],
		['"Play, house" <play@example.com>', { name: 'Play, house', address: 'play@example.com' }],
		['<play@example.com>', { name: '', address: 'play@example.com' }],
		[' play@localhost ', { name: '', address: 'play@localhost' }],
		['A\r\nB <play@example.com>', { name: 'A B', address: 'play@example.com' }],
	])('the mail sender can be %j', (text, sender) => {
		expect(parseSender(text)).toEqual(sender)
	})

	it.each(['', 'Playhouse', 'a@b, c@d', 'A <a@b> <c@d>', 'A <a@b\r\nBcc: c@d>', 'a b@c'])(
		'the mail sender can’t be %j',
		(text) => {
			expect(() => parseSender(text)).toThrow('MAIL_FROM is not a mail address')
		},
	)

	it('the mail sender is formatted so that its name can’t become an address', () => {
		expect(formatSender({ name: 'a" <eve@example.net>, "\\', address: 'play@example.com' })).toBe(
			'"a <eve@example.net>, " <play@example.com>',
		)
		expect(formatSender({ name: '', address: 'play@example.com' })).toBe('play@example.com')
	})
})

it('toOneLine replaces line breaks and control characters but keeps joiners', () => {
	expect(toOneLine(' a\r\n\tb\u0000c\u2028d\u202ee  f ')).toBe('a b c d e f')
	expect(toOneLine('👩‍👩‍👧 می‌خواهم')).toBe('👩‍👩‍👧 می‌خواهم')
})

it.each([
	['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, auth: null }],
	['smtps://mail.example.com', { host: 'mail.example.com', port: 465, secure: true, auth: null }],
	[
		'smtp://a%40b:c%3Ad@[::1]:25',
		{ host: '::1', port: 25, secure: false, auth: { user: 'a@b', pass: 'c:d' } },
	],
])('SMTP_URL with %s is parsed', (url, server) => {
	expect(parseSmtpUrl(url)).toEqual(server)
})

it('reports a bare % in SMTP_URL without showing the password', () => {
	expect(() => parseSmtpUrl('smtp://a:se%cret@mail.example.com')).toThrow(/^SMTP_URL: contains a %/)
})

it.each([
	['localhost', true],
	['127.8.9.1', true],
	['::1', true],
	['127.0.0.1.example.com', false],
	['10.0.0.1', false],
])('isLoopback(%s) returns %s', (host, answer) => {
	expect(isLoopback(host)).toBe(answer)
})
