import { bech32 } from '@scure/base'

/** Returns whether a text is a recipient of age with an X25519 key, as age-keygen prints it. Its checksum finds typos. */
export function isAgeRecipient(text: string): boolean {
	if (!/^age1[02-9ac-hj-np-z]{58}$/.test(text)) return false
	const decoded = bech32.decodeUnsafe(text)
	return decoded?.prefix === 'age' && bech32.fromWordsUnsafe(decoded.words)?.length === 32
}
