/** @module-tag d1 */
import { beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../../../../support/edge/world.ts'

let world: World
beforeEach(async () => {
	world = await openWorld()
})

const send = (body: string, type = 'application/reports+json') =>
	world.fetch(
		new Request('https://edge.test/v1/reports', { method: 'POST', body, headers: { 'content-type': type } }),
	)
const logged = () => world.logs.filter(({ message }) => message === 'browser report')
const violation = (documentURL: string) => ({
	type: 'csp-violation',
	url: documentURL,
	body: {
		documentURL,
		effectiveDirective: 'script-src',
		blockedURL: 'https://evil.example/x.js?y=1',
		lineNumber: 7,
	},
})

test('browser reports are logged in both formats without the query and fragment of URLs', async () => {
	const page = 'https://edge.test/cancel-deletion?token=secret#token=secret'
	expect((await send(JSON.stringify([violation(page)]))).status).toBe(204)
	const old = {
		'csp-report': { 'document-uri': page, 'violated-directive': 'img-src', 'blocked-uri': 'inline' },
	}
	expect((await send(JSON.stringify(old), 'application/csp-report')).status).toBe(204)
	expect(logged()).toMatchObject([
		{
			type: 'csp-violation',
			page: 'https://edge.test/cancel-deletion',
			directive: 'script-src',
			blocked: 'https://evil.example/x.js',
			line: 7,
		},
		{
			type: 'csp-violation',
			page: 'https://edge.test/cancel-deletion',
			directive: 'img-src',
			blocked: 'inline',
		},
	])
	expect(JSON.stringify(world.logs)).not.toContain('secret')
})

test('browser reports are rejected if too large or not JSON, and at most ten per request are logged', async () => {
	expect((await send(`[${' '.repeat(20_000)}]`)).status).toBe(413)
	expect((await send('nothing')).status).toBe(400)
	expect((await send('[]', 'text/html')).status).toBe(415)
	for (const odd of ['null', '7', '[[], null, "x", {}]', '{"body":7,"type":["x"]}'])
		expect((await send(odd)).status).toBe(204)
	const before = logged().length
	const long = { ...violation(`https://edge.test/${'x'.repeat(3000)}`), type: 'a\r\nb' }
	expect((await send(JSON.stringify(Array.from({ length: 5 }, () => long)))).status).toBe(413)
	const many = Array.from({ length: 40 }, () => violation('https://edge.test/'))
	expect((await send(JSON.stringify(many))).status).toBe(204)
	expect(logged().length - before).toBe(10)
	expect((await send(JSON.stringify([long]))).status).toBe(204)
	expect(logged().at(-1)?.type).toBe('a  b')
	expect(JSON.stringify(logged().at(-1)).length).toBeLessThan(1_000)
})
