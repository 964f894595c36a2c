import { expect, test } from 'vitest'
import { hasMailbox } from '../../../../scripts/lib/installation/settings.ts'
import { openChanges } from '../../../../scripts/lib/local-pages/changes.ts'
import { serveLocalPages } from '../../../../scripts/lib/local-pages/local-pages.ts'
import { openMailbox } from '../../../../scripts/lib/mailbox/mailbox.ts'

const mail = (messageId: string, changes: object = {}) => ({
	...{ messageId, from: 'Playhouse <p@localhost>', to: 'ada@example.com', subject: `Mail ${messageId}` },
	...{ text: 'Open http://127.0.0.1/join#token=x&y now', html: '<html><head></head><body>Hi</body></html>' },
	...changes,
})

const SECRET = 'a'.repeat(32)
const MAIL = `/_dev/mail/${SECRET}`

function openPages() {
	const changes = openChanges()
	const box = openMailbox(changes.announce, () => new Date(0))
	const serve = serveLocalPages({ mail: { box, changes, secret: SECRET } })
	const fetchPage = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
		serve(new Request(`http://127.0.0.1:8787${path}`, { method, headers }))
	return { box, changes, fetchPage }
}

test('the mailbox keeps the newest mails, each once, within limits of number and size', () => {
	const box = openMailbox()
	for (let i = 0; i < 150; i++) box.put(mail(String(i)))
	box.put(mail('149'))
	expect(box.list()).toHaveLength(100)
	expect(box.list()[0]?.messageId).toBe('149')
	expect(box.list().at(-1)?.messageId).toBe('50')
	for (let i = 0; i < 20; i++) box.put(mail(`large ${i}`, { html: 'x'.repeat(1_000_000) }))
	expect(box.list().map(({ messageId }) => messageId)).toEqual([
		'large 19',
		'large 18',
		'large 17',
		'large 16',
	])
	expect(() => box.put({ subject: 'not a mail' })).toThrow()
})

test('the mailbox shows the list and one mail as text and HTML, and announces new mail', async () => {
	const { box, changes, fetchPage } = openPages()
	expect(await (await fetchPage(MAIL)).text()).toContain('No mail yet')
	const before = changes.version()
	box.put(mail('1', { subject: '<script>alert(1)</script>' }))
	expect(await (await fetchPage(`${MAIL}/changes?after=${before}`)).text()).toBe(changes.version())
	const list = await (await fetchPage(MAIL)).text()
	expect(list).toContain(`href="${MAIL}/1"`)
	expect(list).toContain('&lt;script&gt;alert(1)')
	expect(list).not.toContain('<script>alert')
	const page = await (await fetchPage(`${MAIL}/1`)).text()
	expect(page).toContain('href="http://127.0.0.1/join#token=x&amp;y"')
	expect(page).toMatch(/<iframe [^>]*sandbox="allow-popups allow-popups-to-escape-sandbox"/)
	expect(await (await fetchPage(`${MAIL}/1/html`)).text()).toBe(
		'<html><head><base target="_blank"></head><body>Hi</body></html>',
	)
	const listed = (await (await fetchPage(`${MAIL}/json`)).json()) as { mails: object[] }
	expect(listed.mails).toMatchObject([{ id: 1, to: 'ada@example.com' }])
})

test('the mailbox prevents framing by other sites and blocks scripts of a mail', async () => {
	const { box, fetchPage } = openPages()
	box.put(mail('1'))
	for (const path of [MAIL, `${MAIL}/1`]) {
		const { headers } = await fetchPage(path)
		expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/)
		expect(headers.get('x-frame-options')).toBe('DENY')
	}
	const framed = (await fetchPage(`${MAIL}/1/html`)).headers
	const policy = framed.get('content-security-policy') ?? ''
	expect(policy).toMatch(/^default-src 'none';.*sandbox allow-popups allow-popups-to-escape-sandbox$/)
	expect(policy).not.toMatch(/script|allow-same-origin/)
	expect(policy).toContain("frame-ancestors 'self'")
	expect(framed.get('x-frame-options')).toBe('SAMEORIGIN')
	for (const path of [MAIL, `${MAIL}/1`, `${MAIL}/1/html`, `${MAIL}/json`, '/_dev/mail.js']) {
		const { status, headers } = await fetchPage(path)
		expect([path, status]).toEqual([path, 200])
		expect(headers.get('access-control-allow-origin')).toBeNull()
		expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
		expect(headers.get('cache-control')).toBe('no-store')
	}
})

test.each([
	['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
	['a script', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
	['another port', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }],
])('the mailbox responds with 404 to %s of another origin', async (_, headers) => {
	const { box, fetchPage } = openPages()
	box.put(mail('1'))
	for (const path of [MAIL, `${MAIL}/json`, `${MAIL}/1`, `${MAIL}/1/html`])
		expect((await fetchPage(path, headers)).status).toBe(404)
})

test('the mailbox shows no mails at an address without the secret or with a wrong one', async () => {
	const { box, fetchPage } = openPages()
	box.put(mail('1'))
	const wrong = ['', '/', '/1', '/1/html', '/json', '/changes', '.json', `/${SECRET.slice(1)}`, `/${SECRET}a`]
	for (const path of [...wrong, `/${SECRET.toUpperCase()}`, `/%61${SECRET.slice(1)}`, `/x/${SECRET}`]) {
		const response = await fetchPage(`/_dev/mail${path}`)
		expect([path, response.status]).toEqual([path, 404])
		expect(await response.text()).not.toContain('ada@example.com')
	}
	expect(await (await fetchPage('/_dev/mail')).json()).toEqual({
		error: 'mails need the secret in their address; open the address that was printed at the start',
	})
})

test('the mailbox allows a link from another site, and only GET requests', async () => {
	const { fetchPage } = openPages()
	const followed = {
		'sec-fetch-site': 'cross-site',
		'sec-fetch-mode': 'navigate',
		'sec-fetch-dest': 'document',
	}
	expect((await fetchPage(MAIL, followed)).status).toBe(200)
	expect((await fetchPage(MAIL, {}, 'POST')).status).toBe(404)
	for (const path of [`${MAIL}/9`, `${MAIL}/x`, '/_dev/reload.js', '/_dev/changes', '/_dev/'])
		expect((await fetchPage(path)).status).toBe(404)
})

test.each([
	['on this machine alone', {}, true],
	['at another address', { host: '0.0.0.0' }, false],
	['behind a proxy', { trustsProxy: true }, false],
	['with a public address', { variables: { PUBLIC_URL: 'http://video.example.com' } }, false],
	['in production', { variables: { ENVIRONMENT: 'production' } }, false],
	['with SMTP', { variables: { SMTP_URL: 'smtp://mail.example.com' } }, false],
	['with a mail API', { variables: { MAIL_API_URL: 'https://mail.example.com' } }, false],
])('npm start %s, with %o, has a mailbox: %s', (_, changes, expected) => {
	expect(hasMailbox({ host: '127.0.0.1', trustsProxy: false, variables: {}, ...changes })).toBe(expected)
})
