import { PlayhouseError } from '../errors.ts'
import type { WebhookEvent } from '../generated/operations.ts'

/** The delivery could not be verified as one of the installation. The message contains the reason. */
export class WebhookVerificationError extends PlayhouseError {
	override readonly name = 'WebhookVerificationError'
}

type HeaderSource =
	| { get(name: string): string | null }
	| Readonly<Record<string, string | readonly string[] | undefined>>

/** The allowed difference of the clocks. Other deliveries may be replayed (standardwebhooks.com). */
const TOLERANCE_SEC = 300
// atob throws an untyped error for anything that is not base64.
const SIGNATURE = /^v1,[A-Za-z\d+/]{43}=$/
const SECRET = /^whsec_(?=.)([A-Za-z\d+/]{4})*([A-Za-z\d+/]{2}(==)?|[A-Za-z\d+/]{3}=?)?$/
const encoder = new TextEncoder()

/**
 * Verifies the signature of a delivery and returns its event. `rawBody` is the unparsed body, because serializing parsed
 * JSON again breaks the signature. During a rotation, pass both secrets.
 */
export async function unwrapWebhook(
	rawBody: string | ArrayBuffer | Uint8Array,
	headers: HeaderSource,
	secrets: string | readonly string[],
	now = Date.now(),
): Promise<WebhookEvent> {
	const body = toBytes(rawBody)
	const id = readHeader(headers, 'webhook-id')
	const timestamp = readHeader(headers, 'webhook-timestamp')
	const signatures = readHeader(headers, 'webhook-signature').split(' ')
	const ageSec = Math.round(now / 1000 - Number(timestamp))
	if (!(Math.abs(ageSec) <= TOLERANCE_SEC))
		throw new WebhookVerificationError(
			`the delivery is ${ageSec} s old; check the clock, and ask for a new delivery of this event`,
		)
	const prefix = encoder.encode(`${id}.${timestamp}.`)
	const signed = new Uint8Array(prefix.length + body.length)
	signed.set(prefix)
	signed.set(body, prefix.length)
	for (const secret of [secrets].flat())
		if (await isSigned(secret, signatures, signed)) return JSON.parse(new TextDecoder().decode(body))
	throw new WebhookVerificationError(
		'no signature matches the secret; pass the raw body and the secret of this endpoint',
	)
}

function toBytes(rawBody: unknown): Uint8Array {
	if (typeof rawBody === 'string') return encoder.encode(rawBody)
	if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
	if (rawBody instanceof Uint8Array) return rawBody
	throw new TypeError('the body is already parsed; pass the raw text or bytes of the request')
}

function readHeader(headers: HeaderSource, name: string): string {
	const found =
		typeof headers.get === 'function'
			? headers.get(name)
			: Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
	if (typeof found === 'string') return found
	throw new WebhookVerificationError(`the header ${name} is missing; pass all headers of the request`)
}

async function isSigned(secret: string, signatures: readonly string[], signed: Uint8Array<ArrayBuffer>) {
	if (!SECRET.test(secret))
		throw new TypeError('the secret is not whsec_ with base64 after it; pass the secret of the endpoint')
	const algorithm = { name: 'HMAC', hash: 'SHA-256' }
	const key = await crypto.subtle.importKey('raw', decode(secret.slice(6)), algorithm, false, ['verify'])
	for (const signature of signatures)
		if (
			SIGNATURE.test(signature) &&
			(await crypto.subtle.verify('HMAC', key, decode(signature.slice(3)), signed))
		)
			return true
	return false
}

const decode = (base64: string): Uint8Array<ArrayBuffer> =>
	Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
