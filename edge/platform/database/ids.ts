const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export type IdPrefix =
	| 'org'
	| 'ses'
	| 'otp'
	| 'inv'
	| 'key'
	| 'psk'
	| 'otk'
	| 'evt'
	| 'msg'
	| 'dlt'
	| 'mch'
	| 'mgr'
	| 'req'
	| 'ast'
	| 'col'
	| 'cmt'
	| 'del'
	| 'job'
	| 'tsk'
	| 'whe'
	| 'aic'
	| 'hlt'
	| 'aud'
	| 'dvr'
	| 'bkp'
	| 'dup'
	| 'svw'

/** Returns a prefix, 48 bits of time and 80 random bits. Ids sort by age and are unguessable. */
export function newId(prefix: IdPrefix, now: number): string {
	let time = ''
	for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = CROCKFORD[rest % 32] + time
	let random = ''
	for (const byte of crypto.getRandomValues(new Uint8Array(16))) random += CROCKFORD[byte & 31]
	return `${prefix}_${time}${random}`
}

/** Returns when an id of `newId` was made. */
export function parseIdTime(id: string): number {
	const digits = id.slice(id.indexOf('_') + 1).slice(0, 10)
	return [...digits].reduce((time, digit) => time * 32 + CROCKFORD.indexOf(digit), 0)
}

/** Returns random base62 text. Skips bytes above the last multiple of 62, so that all characters are equally likely. */
export function randomBase62(length: number): string {
	let text = ''
	while (text.length < length)
		for (const byte of crypto.getRandomValues(new Uint8Array(length)))
			if (byte < 248 && text.length < length) text += BASE62[byte % 62]
	return text
}

/** Returns six decimal digits. All codes are equally likely. */
export function randomCode(): string {
	const limit = 4_294_000_000
	for (;;) {
		const [n = 0] = crypto.getRandomValues(new Uint32Array(1))
		if (n < limit) return String(n % 1_000_000).padStart(6, '0')
	}
}

export const encodeBase62 = (n: number, width: number): string => {
	let text = ''
	for (let rest = n; text.length < width; rest = Math.floor(rest / 62)) text = BASE62[rest % 62] + text
	return text
}
