import { fromBase64url } from '../../../platform/tokens/digest.ts'

const ES256 = -7
const RS256 = -257
/** Supported by every authenticator: phones and security keys use the first, Windows Hello the second. */
export const passkeyAlgorithms: readonly number[] = [ES256, RS256]

const es256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const rs256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
const COORDINATE_BYTES = 32
const MIN_RSA_BITS = 2048

export type PublicKey = { publicKey: string; algorithm: number }

/** Returns the key, or null if it is malformed, too short or of another kind. */
export async function importPublicKey({ publicKey, algorithm }: PublicKey): Promise<CryptoKey | null> {
	if (!passkeyAlgorithms.includes(algorithm)) return null
	try {
		const bytes = fromBase64url(publicKey)
		const kind = algorithm === ES256 ? es256 : rs256
		const key = await crypto.subtle.importKey('spki', bytes, kind, false, ['verify'])
		const { modulusLength } = key.algorithm as { modulusLength?: number }
		return modulusLength !== undefined && modulusLength < MIN_RSA_BITS ? null : key
	} catch {
		return null
	}
}

export async function isSignedBy(
	stored: PublicKey,
	signature: Uint8Array<ArrayBuffer>,
	signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
	const key = await importPublicKey(stored)
	const raw = stored.algorithm === ES256 ? rawSignature(signature) : signature
	if (!key || !raw) return false
	return crypto.subtle.verify(stored.algorithm === ES256 ? es256 : rs256, key, raw, signed)
}

/** Converts an ECDSA signature from DER, which authenticators send, to the form of WebCrypto. */
function rawSignature(der: Uint8Array): Uint8Array<ArrayBuffer> | null {
	const raw = new Uint8Array(2 * COORDINATE_BYTES)
	if (der[0] !== 0x30 || der[1] !== der.length - 2) return null
	let at = 2
	for (const end of [COORDINATE_BYTES, 2 * COORDINATE_BYTES]) {
		const length = der[at + 1] ?? 0
		if (der[at] !== 0x02 || length === 0) return null
		const start = at + 2
		at = start + length
		if (at > der.length) return null
		const digits = der.subarray(start, at)
		// A leading zero keeps the number positive.
		const trimmed = digits[0] === 0 ? digits.subarray(1) : digits
		if (trimmed.length > COORDINATE_BYTES) return null
		raw.set(trimmed, end - trimmed.length)
	}
	return at === der.length ? raw : null
}
