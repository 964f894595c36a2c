const encoder = new TextEncoder()

export const toBase64 = (bytes: ArrayBuffer | Uint8Array): string =>
	btoa(String.fromCharCode(...new Uint8Array(bytes)))

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
	Uint8Array.from(atob(text), (c) => c.charCodeAt(0))

export const toBase64url = (bytes: ArrayBuffer | Uint8Array): string =>
	toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
	fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))

/** Returns random bytes in base64url: 32 unless told, which no one can guess. */
export const randomBase64url = (bytes = 32): string =>
	toBase64url(crypto.getRandomValues(new Uint8Array(bytes)))

export const toHex = (bytes: Uint8Array): string =>
	Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const sha256 = async (data: string | Uint8Array<ArrayBuffer>): Promise<string> =>
	toBase64url(await crypto.subtle.digest('SHA-256', typeof data === 'string' ? encoder.encode(data) : data))

/** Compares two texts in a time that does not depend on where they differ. */
export async function isEqualText(a: string, b: string): Promise<boolean> {
	const [x, y] = await Promise.all([a, b].map((t) => crypto.subtle.digest('SHA-256', encoder.encode(t))))
	return crypto.subtle.timingSafeEqual(x as ArrayBuffer, y as ArrayBuffer)
}
