import { COMMON_PASSWORD_COUNT, COMMON_PASSWORDS } from './common-passwords-packed.ts'

/** Deltas of the sorted hashes are Golomb-Rice coded with so many low bits; the average delta is 2^32 / 100,000. */
export const RICE_BITS = 15

/** How passwords are compared with the list: as people vary them least, by capital letters and by keyboards. */
export const foldPassword = (password: string): string => password.normalize('NFKC').toLowerCase()

/** The first 32 bits of SHA-256. */
export async function hashOf(folded: string): Promise<number> {
	const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(folded))
	return new DataView(digest).getUint32(0)
}

function unpack(packed: string, count: number): Uint32Array {
	const text = atob(packed)
	const bytes = new Uint8Array(text.length)
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
	const hashes = new Uint32Array(count)
	let at = 0
	// The next bits of the stream, from the highest of the 32 down.
	let window = 0
	let held = 0
	let last = 0
	for (let i = 0; i < count; i++) {
		let high = 0
		for (;;) {
			for (; held <= 24; held += 8) window |= (bytes[at++] ?? 0) << (24 - held)
			// Ones as far as they go; all that is held, and there are more behind.
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

/** Sorted. Unpacked when the first password is set in this isolate, in about 15 ms. */
export function commonHashes(): Uint32Array {
	unpacked ??= unpack(COMMON_PASSWORDS, COMMON_PASSWORD_COUNT)
	return unpacked
}

/** Also true for one of 43,000 passwords that are not in the list: 100,000 of 2^32 hashes are taken. */
export async function isCommonPassword(password: string): Promise<boolean> {
	const wanted = await hashOf(foldPassword(password))
	const hashes = commonHashes()
	let from = 0
	let to = hashes.length
	while (from < to) {
		const middle = (from + to) >>> 1
		if ((hashes[middle] ?? 0) < wanted) from = middle + 1
		else to = middle
	}
	return hashes[from] === wanted
}
