import { SECOND } from '../clock.ts'
import { base64 } from './digest.ts'

const encoder = new TextEncoder()

/** Returns the headers of Standard Webhooks (standardwebhooks.com), with one signature for each key. */
export async function signedHeaders(
	keys: readonly Uint8Array[],
	{ id, body, now }: { id: string; body: string; now: number },
): Promise<Record<string, string>> {
	const seconds = String(Math.floor(now / SECOND))
	const text = encoder.encode(`${id}.${seconds}.${body}`)
	const signatures = await Promise.all(
		keys.map(async (bytes) => {
			const algorithm = { name: 'HMAC', hash: 'SHA-256' }
			const key = await crypto.subtle.importKey('raw', new Uint8Array(bytes), algorithm, false, ['sign'])
			return `v1,${base64(await crypto.subtle.sign('HMAC', key, text))}`
		}),
	)
	return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') }
}
