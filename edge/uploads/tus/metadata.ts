import { AppError } from '../../http/errors.ts'

/** `Upload-Metadata`: pairs of a key and, after a space, the Base64 of its value; a key may stand alone. */
export function readMetadata(text: string): Map<string, string> {
	const pairs = new Map<string, string>()
	if (text.trim() === '') return pairs
	for (const pair of text.split(',')) {
		const [key = '', value = '', ...more] = pair.trim().split(' ')
		if (!/^[\x21-\x2b\x2d-\x7e]+$/.test(key) || more.length > 0)
			throw malformed('each pair is a key, a space and a value')
		if (pairs.has(key)) throw malformed(`${key} is there twice`)
		pairs.set(key, decode(key, value))
	}
	return pairs
}

function decode(key: string, value: string): string {
	if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value))
		throw malformed(`the value of ${key} is not Base64`)
	const bytes = Uint8Array.from(atob(value), (c) => c.charCodeAt(0))
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
	} catch {
		throw malformed(`the value of ${key} is not UTF-8`)
	}
}

const malformed = (what: string) => new AppError('validation', `Upload-Metadata: ${what}`)
