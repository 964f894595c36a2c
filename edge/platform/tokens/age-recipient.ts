import { bech32 } from '@scure/base'

/** Whether a text is an age X25519 recipient, as age-keygen prints it. Its checksum detects typos. */
export function isAgeRecipient(text: string): boolean {
	if (!/^age1[02-9ac-hj-np-z]{58}$/.test(text)) return false
	const decoded = bech32.decodeUnsafe(text)
	return decoded?.prefix === 'age' && bech32.fromWordsUnsafe(decoded.words)?.length === 32
}
