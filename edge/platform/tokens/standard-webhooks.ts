import { SECOND } from '../clock.ts'
import { isEqualText, toBase64 } from './digest.ts'

const encoder = new TextEncoder()
/** During a rotation there are two. */
const MAX_SIGNATURES = 8

/** Returns the headers of Standard Webhooks (standardwebhooks.com), with one signature for each key. */
export async function signHeaders(
	keys: readonly Uint8Array[],
	{ id, body, now }: { id: string; body: string; now: number },
): Promise<Record<string, string>> {
	const seconds = String(Math.floor(now / SECOND))
	const text = encoder.encode(`${id}.${seconds}.${body}`)
	const signatures = await Promise.all(
		keys.map(async (bytes) => {
			const algorithm = { name: 'HMAC', hash: 'SHA-256' }
			const key = await crypto.subtle.importKey('raw', new Uint8Array(bytes), algorithm, false, ['sign'])
			return `v1,${toBase64(await crypto.subtle.sign('HMAC', key, text))}`
		}),
	)
	return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}

/** Whether one of the keys made one of the signatures (`v1,…`, separated by spaces) over the raw body. */
export async function isSignedBy(
	keys: readonly Uint8Array<ArrayBuffer>[],
	{ id, timestamp, signature }: { id: string; timestamp: string; signature: string },
	body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
	const prefix = encoder.encode(`${id}.${timestamp}.`)
	const signed = new Uint8Array(prefix.byteLength + body.byteLength)
	signed.set(prefix)
	signed.set(body, prefix.byteLength)
	const given = signature.split(' ', MAX_SIGNATURES)
	for (const bytes of keys) {
		const algorithm = { name: 'HMAC', hash: 'SHA-256' }
		const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
		const expected = `v1,${toBase64(await crypto.subtle.sign('HMAC', key, signed))}`
		for (const one of given) if (await isEqualText(one, expected)) return true
	}
	return false
}
