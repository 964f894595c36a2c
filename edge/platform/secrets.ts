import { base64url } from './digest.ts'

/**
 * Every secret is derived from the one root by its purpose (HKDF), so a key taken for one door opens no other,
 * and an installation has one secret to keep.
 */
export type Purpose =
	| 'session-token'
	| 'machine-token'
	| 'member-token'
	| 'upload-token'
	| 'invitation-link'
	| 'one-time-code'
	| 'attempt-subject'
	| 'idempotency'
	| 's3-door'

export type Secrets = {
	/** Raw key bytes for a library that signs by itself. */
	bytes(purpose: Purpose): Promise<Uint8Array<ArrayBuffer>>
	/** base64url(HMAC-SHA256(text)) under the purpose's key: 43 characters. */
	hmac(purpose: Purpose, text: string): Promise<string>
}

const encoder = new TextEncoder()

export function deriveSecrets(root: string): Secrets {
	const master = crypto.subtle.importKey('raw', encoder.encode(root), 'HKDF', false, ['deriveBits'])
	const derived = new Map<Purpose, Promise<Uint8Array<ArrayBuffer>>>()
	const hmacKeys = new Map<Purpose, Promise<CryptoKey>>()

	const bytes = (purpose: Purpose) => {
		const known = derived.get(purpose)
		if (known) return known
		const fresh = master
			.then((key) =>
				crypto.subtle.deriveBits(
					{ name: 'HKDF', hash: 'SHA-256', salt: encoder.encode('playhouse'), info: encoder.encode(purpose) },
					key,
					256,
				),
			)
			.then((bits) => new Uint8Array(bits))
		derived.set(purpose, fresh)
		return fresh
	}

	const hmacKey = (purpose: Purpose) => {
		const known = hmacKeys.get(purpose)
		if (known) return known
		const fresh = bytes(purpose).then((raw) =>
			crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
		)
		hmacKeys.set(purpose, fresh)
		return fresh
	}

	return {
		bytes,
		hmac: async (purpose, text) =>
			base64url(await crypto.subtle.sign('HMAC', await hmacKey(purpose), encoder.encode(text))),
	}
}
