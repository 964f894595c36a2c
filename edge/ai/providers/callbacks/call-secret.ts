import { HOUR, MINUTE, SECOND } from '../../../platform/clock.ts'
import { fromBase64url, toBase64 } from '../../../platform/tokens/digest.ts'
import type { Secrets } from '../../../platform/tokens/secrets.ts'
import { isSignedBy } from '../../../platform/tokens/standard-webhooks.ts'

const PURPOSE = 'ai-callback'
const WINDOW_MS = 5 * MINUTE
/** Providers stop repeating a callback long before that. */
const CAPABILITY_MS = 24 * HOUR

const secretText = (callId: string) => `secret ${callId}`
const capabilityText = (callId: string, provider: string, expiresAt: number) =>
	`capability ${callId}|${provider}|${expiresAt}`

/** Derives the secret that signs callbacks about one call. If it leaks, only that call is affected. */
export const deriveCallSecret = async (secrets: Secrets, callId: string): Promise<string> =>
	`whsec_${toBase64(fromBase64url(await secrets.hmac(PURPOSE, secretText(callId))))}`

/** Returns the capability for the callback URL of a provider that can't sign. */
export async function makeCapability(
	secrets: Secrets,
	callId: string,
	provider: string,
	now: number,
): Promise<string> {
	const expiresAt = now + CAPABILITY_MS
	return `${expiresAt}.${await secrets.hmac(PURPOSE, capabilityText(callId, provider, expiresAt))}`
}

/** Returns the provider among `providers` that a valid capability was made for, or null. */
export async function findCapabilityProvider(
	secrets: Secrets,
	callId: string,
	capability: string,
	providers: readonly string[],
	now: number,
): Promise<string | null> {
	const [expiry = '', hmac = ''] = capability.split('.')
	const expiresAt = Number(expiry)
	if (!(expiresAt > now)) return null
	for (const provider of providers)
		if (await secrets.matches(PURPOSE, capabilityText(callId, provider, expiresAt), hmac)) return provider
	return null
}

export type SignedHeaders = { id: string; timestamp: string; signature: string }

/** Returns the headers of Standard Webhooks if they are complete and not older or newer than five minutes. */
export function readSignedHeaders(headers: Headers, now: number): SignedHeaders | null {
	const id = headers.get('webhook-id') ?? ''
	const timestamp = headers.get('webhook-timestamp') ?? ''
	const signature = headers.get('webhook-signature') ?? ''
	if (!/^[\x21-\x7e]{1,200}$/.test(id) || !/^\d{1,12}$/.test(timestamp) || signature === '') return null
	return Math.abs(Number(timestamp) * SECOND - now) <= WINDOW_MS ? { id, timestamp, signature } : null
}

/** Checks the signature with this call's secret, under any accepted AUTH_SECRET. */
export async function isSignedForCall(
	secrets: Secrets,
	callId: string,
	headers: SignedHeaders,
	body: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
	const keys = (await secrets.hmacs(PURPOSE, secretText(callId))).map(fromBase64url)
	return isSignedBy(keys, headers, body)
}
