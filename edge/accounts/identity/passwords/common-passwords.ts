import { COMMON_PASSWORD_COUNT, COMMON_PASSWORDS } from './common-passwords-packed.ts'

/** The low bits of each Golomb-Rice coded delta between sorted hashes. The average delta is 2^32 / 100,000. */
export const RICE_BITS = 15

/** Normalizes a password for the list lookup: ignores case and differences between keyboards. */
export const foldPassword = (password: string): string => password.normalize('NFKC').toLowerCase()

/** Returns the first 32 bits of SHA-256. */
export async function hashToPrefix(folded: string): Promise<number> {
	const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(folded))
	return new DataView(digest).getUint32(0)
}

function unpack(packed: string, count: number): Uint32Array {
	const text = atob(packed)
	const bytes = new Uint8Array(text.length)
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
	const hashes = new Uint32Array(count)
	let at = 0
	// Holds the next bits of the stream, highest bit first.
	let window = 0
	let held = 0
	let last = 0
	for (let i = 0; i < count; i++) {
		let high = 0
		for (;;) {
			for (; held <= 24; held += 8) window |= (bytes[at++] ?? 0) << (24 - held)
			// If every bit in the window is a one, the run of ones goes on in the next bytes.
			const ones = Math.min(Math.clz32(~window), held)
			high += ones
			if (ones < held) {
				window <<= ones + 1
				held -= ones + 1
				break
			}
			window = 0
			held = 0
		}
		for (; held <= 24; held += 8) window |= (bytes[at++] ?? 0) << (24 - held)
		last += high * 2 ** RICE_BITS + (window >>> (32 - RICE_BITS))
		window <<= RICE_BITS
		held -= RICE_BITS
		hashes[i] = last
	}
	return hashes
}

let unpacked: Uint32Array | undefined

/** Returns the hashes in ascending order. The first call in an isolate unpacks them, which takes about 15 ms. */
export function readCommonHashes(): Uint32Array {
	unpacked ??= unpack(COMMON_PASSWORDS, COMMON_PASSWORD_COUNT)
	return unpacked
}

/** Returns true for every listed password, and by collision for one of 43,000 others: 100,000 of 2^32 hashes are taken. */
export async function isCommonPassword(password: string): Promise<boolean> {
	const wanted = await hashToPrefix(foldPassword(password))
	const hashes = readCommonHashes()
	let from = 0
	let to = hashes.length
	while (from < to) {
		const middle = (from + to) >>> 1
		if ((hashes[middle] ?? 0) < wanted) from = middle + 1
		else to = middle
	}
	return hashes[from] === wanted
}
