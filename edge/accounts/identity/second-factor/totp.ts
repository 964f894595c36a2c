import { isEqualText } from '../../../platform/tokens/digest.ts'

/** The values of RFC 6238 that every authenticator app supports. */
const STEP_SECONDS = 30
const DIGITS = 6
/** RFC 4226 recommends 160 bits. */
const SECRET_BYTES = 20
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const newTotpSecret = (): Uint8Array<ArrayBuffer> =>
	crypto.getRandomValues(new Uint8Array(SECRET_BYTES))

/** Returns unpadded base32 (RFC 4648). */
export function encodeBase32(bytes: Uint8Array): string {
	let text = ''
	let value = 0
	let bits = 0
	for (const byte of bytes) {
		value = ((value << 8) | byte) & 0xffff
		for (bits += 8; bits >= 5; bits -= 5) text += BASE32[(value >> (bits - 5)) & 31]
	}
	return bits > 0 ? text + BASE32[(value << (5 - bits)) & 31] : text
}

export const computeStep = (now: number): number => Math.floor(now / 1000 / STEP_SECONDS)

/** Returns the code of a time step (RFC 6238, HMAC-SHA-1). */
export async function computeTotpCode(secret: Uint8Array<ArrayBuffer>, step: number): Promise<string> {
	const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-1' }, false, ['sign'])
	const counter = new DataView(new ArrayBuffer(8))
	counter.setBigUint64(0, BigInt(step))
	const digest = new DataView(await crypto.subtle.sign('HMAC', key, counter.buffer))
	const offset = digest.getUint8(19) & 15
	const number = digest.getUint32(offset) & 0x7fffffff
	return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Returns the step of a code, at most one step from now, for clocks that differ; null for a wrong code. */
export async function findCodeStep(
	secret: Uint8Array<ArrayBuffer>,
	code: string,
	now: number,
): Promise<number | null> {
	const current = computeStep(now)
	const steps = [current - 1, current, current + 1]
	const matches = await Promise.all(
		steps.map(async (step) => isEqualText(await computeTotpCode(secret, step), code)),
	)
	return steps[matches.indexOf(true)] ?? null
}

/** Returns the URL that authenticator apps read from a QR code. */
export function buildOtpauthUrl(secret: string, issuer: string, account: string): string {
	const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
	const options = `secret=${secret}&issuer=${encodeURIComponent(issuer)}`
	return `otpauth://totp/${label}?${options}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`
}
