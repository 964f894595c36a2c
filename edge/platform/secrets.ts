import { base64url } from './digest.ts'

/**
 * Every secret is derived from the one root by its purpose (HKDF), so a key taken for one door opens no other,
 * and an installation has one secret to keep.
 */
export type Purpose =
	| 'session-token'
	| 'device-token'
	| 'machine-token'
	| 'fleet-token-mark'
	| 'member-token'
	| 'upload-token'
	| 'playback-token'
	| 'invitation-link'
	| 'community-invitation'
	| 'deletion-link'
	| 'mail-address'
	| 'mail-refusal'
	| 'one-time-code'
	| 'attempt-subject'
	| 'idempotency'
	| 's3-door'

export type Secrets = {
	/** HMAC-SHA256 key, imported once, for a library that signs by itself. */
	key(purpose: Purpose): Promise<CryptoKey>
	/** base64url(HMAC-SHA256(text)) under the purpose's key: 43 characters. */
	hmac(purpose: Purpose, text: string): Promise<string>
}

const encoder = new TextEncoder()

export function deriveSecrets(root: string): Secrets {
	const master = crypto.subtle.importKey('raw', encoder.encode(root), 'HKDF', false, ['deriveBits'])
	const keys = new Map<Purpose, Promise<CryptoKey>>()

	const derive = async (purpose: Purpose) => {
		const from = { salt: encoder.encode('playhouse'), info: encoder.encode(purpose) }
		const bits = await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', ...from }, await master, 256)
		return crypto.subtle.importKey('raw', bits, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
	}

	const key = (purpose: Purpose) => {
		const known = keys.get(purpose)
		if (known) return known
		const fresh = derive(purpose)
		keys.set(purpose, fresh)
		return fresh
	}

	return {
		key,
		hmac: async (purpose, text) =>
			base64url(await crypto.subtle.sign('HMAC', await key(purpose), encoder.encode(text))),
	}
}
