import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { unwrapWebhook } from '../../sdk/src/helpers/unwrap-webhook.ts'

const secret = `whsec_${Buffer.from('a secret of 24 bytes....').toString('base64')}`
const other = `whsec_${Buffer.from('another one of 24 bytes.').toString('base64')}`
const now = Date.UTC(2026, 10, 29)

/** Signs like the library of Standard Webhooks. */
function sign(body: string, at = now, key = secret) {
	const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': String(Math.floor(at / 1000)) }
	return { ...headers, 'webhook-signature': new Webhook(key).sign('evt_1', new Date(at), body) }
}

test('unwrapWebhook accepts bodies signed by the Standard Webhooks library, and rejects others', async () => {
	await fc.assert(
		fc.asyncProperty(fc.jsonValue(), fc.nat(), async (value, at) => {
			const body = JSON.stringify({ type: 'asset.ready', value })
			const headers = sign(body)
			expect(await unwrapWebhook(body, headers, secret, now)).toEqual(JSON.parse(body))
			expect(
				await unwrapWebhook(new TextEncoder().encode(body), new Headers(headers), [other, secret], now),
			).toEqual(JSON.parse(body))
			const position = at % body.length
			const changed =
				body.slice(0, position) + (body[position] === 'x' ? 'y' : 'x') + body.slice(position + 1)
			await expect(unwrapWebhook(changed, headers, secret, now)).rejects.toThrow(
				'no signature matches the secret',
			)
		}),
		{ numRuns: 50 },
	)
})

const body = '{"type":"webhook.test"}'
test.each([
	['another secret', body, sign(body), other, 'no signature matches the secret'],
	['an old delivery', body, sign(body, now - 301_000), secret, 'the delivery is 301 s old; check the clock'],
	[
		'a delivery of the future',
		body,
		sign(body, now + 301_000),
		secret,
		'the delivery is -301 s old; check the clock',
	],
	[
		'a time that is no number',
		body,
		{ ...sign(body), 'webhook-timestamp': 'now' },
		secret,
		'the delivery is NaN s old',
	],
	[
		'a missing header',
		body,
		{ 'webhook-id': 'evt_1' },
		secret,
		'the header webhook-timestamp is missing; pass all headers',
	],
	[
		'a signature of another kind',
		body,
		{ ...sign(body), 'webhook-signature': 'v1a,abc v1,!' },
		secret,
		'no signature',
	],
	[
		'a parsed body',
		JSON.parse(body),
		sign(body),
		secret,
		'the body is already parsed; pass the raw text or bytes',
	],
	[
		'a secret of something else',
		body,
		sign(body),
		'phk_live_1',
		'the secret is not whsec_ with base64 after it; pass the secret of the endpoint',
	],
])('unwrapWebhook says what is wrong with %s', async (_name, rawBody, headers, key, sentence) => {
	await expect(unwrapWebhook(rawBody, headers, key, now)).rejects.toThrow(sentence)
})

test.each(['v1,a', 'v1,____', 'v1,', 'v1,AAAA', `v1,${'A'.repeat(44)}`, `v1,${'_'.repeat(43)}=`])(
	'unwrapWebhook refuses the malformed signature %j with a WebhookVerificationError',
	async (signature) => {
		const headers = { ...sign(body), 'webhook-signature': signature }
		await expect(unwrapWebhook(body, headers, secret, now)).rejects.toMatchObject({
			name: 'WebhookVerificationError',
			message: 'no signature matches the secret; pass the raw body and the secret of this endpoint',
		})
	},
)

test.each(['whsec_', 'whsec_a', 'whsec_ab_-', 'whsec_abcd=', 'whsec_=', 'whsec_ab c'])(
	'unwrapWebhook refuses the malformed secret %j with a TypeError that does not contain it',
	async (malformed) => {
		await expect(unwrapWebhook(body, sign(body), malformed, now)).rejects.toThrow(
			new TypeError('the secret is not whsec_ with base64 after it; pass the secret of the endpoint'),
		)
	},
)

test('unwrapWebhook accepts a secret without the padding of base64', async () => {
	const padded = `whsec_${Buffer.from('a secret of 25 bytes.....').toString('base64')}`
	const headers = sign(body, now, padded)
	expect(await unwrapWebhook(body, headers, padded.replace(/=+$/, ''), now)).toEqual(JSON.parse(body))
})

test('unwrapWebhook reads the header objects of Node.js, in upper and lower case', async () => {
	const headers = Object.fromEntries(
		Object.entries(sign(body)).map(([name, value]) => [name.toUpperCase(), value]),
	)
	expect(await unwrapWebhook(body, headers, secret, now)).toEqual({ type: 'webhook.test' })
})
