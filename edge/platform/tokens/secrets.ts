import { fromBase64url, isEqualText, toBase64url } from './digest.ts'

/**
 * The purposes of keys. HKDF derives each key from AUTH_SECRET and its purpose, so an installation has only one secret,
 * and a leaked key is useless for other purposes.
 */
export type Purpose =
	| 'session-token'
	| 'device-token'
	| 'impersonation-token'
	| 'machine-token'
	| 'fleet-token-mark'
	| 'member-token'
	| 'upload-token'
	| 'playback-token'
	| 'image-token'
	| 'playback-session-token'
	| 'invitation-link'
	| 'community-invitation'
	| 'deletion-link'
	| 'one-time-code'
	| 'device-user-code'
	| 'second-factor-ticket'
	| 'totp-secret'
	| 'passkey-challenge'
	| 'attempt-subject'
	| 'sign-in-origin'
	| 'idempotency'
	| 's3-api'
	| 'data-key'
	| 'webhook-secret'
	| 'ai-key'
	| 'identity-provider-secret'
	| 'member-sign-in'
	| 'sign-in-code'
	| 'ai-callback'
	| 'backup-key'
	| 'backup-origin'
	| 'backup-download-token'
	| 'stream-token'

export type NamedKey = {
	/** Identifies the value of AUTH_SECRET that the key is derived from, without revealing it. */
	id: string
	key: CryptoKey
}

/** While AUTH_SECRET_PREVIOUS is set, each purpose has two keys. Only the current one signs and seals. */
export type Secrets = {
	/** Returns the current HMAC-SHA256 key, for libraries that sign by themselves. */
	key(purpose: Purpose): Promise<CryptoKey>
	/** Returns every accepted key, the current one first. */
	keys(purpose: Purpose): Promise<readonly NamedKey[]>
	/** Returns base64url(HMAC-SHA256(text)) under the current key: 43 characters. */
	hmac(purpose: Purpose, text: string): Promise<string>
	/** Returns the HMAC under every accepted key, the current one first, to look up rows by a stored HMAC. */
	hmacs(purpose: Purpose, text: string): Promise<readonly string[]>
	/** Returns true if a stored HMAC belongs to this text under any accepted key. */
	matches(purpose: Purpose, text: string, stored: string): Promise<boolean>
	/** Encrypts a text for the database. The result names its key and opens only in the same context, such as a row. */
	seal(purpose: Purpose, text: string, context: string): Promise<string>
	/** Returns null if the secret is no longer set, the context differs, or the text is not sealed. */
	unseal(purpose: Purpose, sealed: string, context: string): Promise<string | null>
	/** Returns the prefix of every text that is sealed under the current key. */
	sealPrefix(): Promise<string>
}

const SEAL_VERSION = 's1'
const KEY_ID_LENGTH = 8
const encoder = new TextEncoder()

/** Returns the keys derived from one value of AUTH_SECRET. */
function deriveRoot(root: string) {
	const master = crypto.subtle.importKey('raw', encoder.encode(root), 'HKDF', false, ['deriveBits'])
	const derive = async (info: string) => {
		const from = { salt: encoder.encode('playhouse'), info: encoder.encode(info) }
		return crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', ...from }, await master, 256)
	}
	const id = once(async () => toBase64url(await derive('key-id')).slice(0, KEY_ID_LENGTH))
	return {
		id: () => id(''),
		key: once(async (purpose) =>
			crypto.subtle.importKey('raw', await derive(purpose), { name: 'HMAC', hash: 'SHA-256' }, false, [
				'sign',
				'verify',
			]),
		),
		sealingKey: once(async (purpose) =>
			crypto.subtle.importKey('raw', await derive(`seal ${purpose}`), 'AES-GCM', false, [
				'encrypt',
				'decrypt',
			]),
		),
	}
}

/** Caches the value of each name after its first use. */
function once<T>(make: (name: string) => Promise<T>): (name: string) => Promise<T> {
	const made = new Map<string, Promise<T>>()
	return (name) => {
		const known = made.get(name)
		if (known) return known
		const fresh = make(name)
		made.set(name, fresh)
		return fresh
	}
}

export function deriveSecrets(current: string, previous?: string): Secrets {
	const signing = deriveRoot(current)
	const accepted = [signing, ...(previous === undefined ? [] : [deriveRoot(previous)])]
	const hmacWith = async (root: typeof signing, purpose: Purpose, text: string) =>
		toBase64url(await crypto.subtle.sign('HMAC', await root.key(purpose), encoder.encode(text)))
	const hmacs = (purpose: Purpose, text: string) =>
		Promise.all(accepted.map((root) => hmacWith(root, purpose, text)))
	const sealPrefix = async () => `${SEAL_VERSION}.${await signing.id()}.`

	return {
		key: (purpose) => signing.key(purpose),
		keys: (purpose) =>
			Promise.all(accepted.map(async (root) => ({ id: await root.id(), key: await root.key(purpose) }))),
		hmac: (purpose, text) => hmacWith(signing, purpose, text),
		hmacs,
		async matches(purpose, text, stored) {
			const answers = await Promise.all((await hmacs(purpose, text)).map((hmac) => isEqualText(hmac, stored)))
			return answers.includes(true)
		},
		sealPrefix,
		async seal(purpose, text, context) {
			const iv = crypto.getRandomValues(new Uint8Array(12))
			const sealed = await crypto.subtle.encrypt(
				{ name: 'AES-GCM', iv, additionalData: encoder.encode(context) },
				await signing.sealingKey(purpose),
				encoder.encode(text),
			)
			return `${await sealPrefix()}${toBase64url(iv)}.${toBase64url(sealed)}`
		},
		async unseal(purpose, sealed, context) {
			const [version, keyId, iv = '', bytes = ''] = sealed.split('.')
			if (version !== SEAL_VERSION) return null
			for (const root of accepted) {
				if ((await root.id()) !== keyId) continue
				try {
					const clear = await crypto.subtle.decrypt(
						{ name: 'AES-GCM', iv: fromBase64url(iv), additionalData: encoder.encode(context) },
						await root.sealingKey(purpose),
						fromBase64url(bytes),
					)
					return new TextDecoder().decode(clear)
				} catch {
					return null
				}
			}
			return null
		},
	}
}
