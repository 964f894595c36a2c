import { AppError } from '../../../http/errors.ts'

/** Parses `Upload-Metadata`: comma-separated pairs of a key and an optional Base64 value after a space. */
export function readMetadata(text: string): Map<string, string> {
	const pairs = new Map<string, string>()
	if (text.trim() === '') return pairs
	for (const pair of text.split(',')) {
		const [key = '', value = '', ...more] = pair.trim().split(' ')
		if (!/^[\x21-\x2b\x2d-\x7e]+$/.test(key) || more.length > 0)
			throw malformedMetadataError('each pair must be a key, a space and a value')
		if (pairs.has(key)) throw malformedMetadataError(`${key} occurs twice`)
		pairs.set(key, decode(key, value))
	}
	return pairs
}

function decode(key: string, value: string): string {
	if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value))
		throw malformedMetadataError(`the value of ${key} must be Base64`)
	const bytes = Uint8Array.from(atob(value), (c) => c.charCodeAt(0))
	try {
		return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
	} catch {
		throw malformedMetadataError(`the value of ${key} must be UTF-8`)
	}
}

const malformedMetadataError = (problem: string) => new AppError('validation', `Upload-Metadata: ${problem}`)
