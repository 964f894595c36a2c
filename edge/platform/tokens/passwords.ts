import { scrypt } from 'node:crypto'
import { fromBase64url, toBase64url } from './digest.ts'

/**
 * The cost of scrypt, which is used because Workers cap PBKDF2 at 100,000 rounds and have no Argon2. N=2^14, r=8, p=5 is
 * OWASP's equivalent of N=2^17, and its 16 MiB fit into an isolate.
 */
export type PasswordCost = { log2N: number; r: number; p: number }
export const standardCost: PasswordCost = { log2N: 14, r: 8, p: 5 }

export type Passwords = {
	hash(password: string): Promise<string>
	/** Without a hash, takes as long and returns false, so that unknown users are not revealed. */
	verify(password: string, phc: string | null): Promise<{ ok: boolean; outdated: boolean }>
}

const KEY_BYTES = 32
const SALT_BYTES = 16

function derive(password: string, salt: Uint8Array, { log2N, r, p }: PasswordCost) {
	return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) =>
		scrypt(
			// Keyboards may produce the same characters as different code points.
			new TextEncoder().encode(password.normalize('NFKC')),
			salt,
			KEY_BYTES,
			{ N: 2 ** log2N, r, p, maxmem: 2 ** log2N * r * 128 * 2 },
			(error, key) => (error ? reject(error) : resolve(key)),
		),
	)
}

const formatPhc = ({ log2N, r, p }: PasswordCost, salt: Uint8Array, key: Uint8Array) =>
	`$scrypt$ln=${log2N},r=${r},p=${p}$${toBase64url(salt)}$${toBase64url(key)}`

function parsePhc(phc: string) {
	const found = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/.exec(phc)
	if (!found) throw new Error('the stored password hash is not a scrypt PHC string')
	const [, log2N, r, p, salt = '', key = ''] = found
	return {
		cost: { log2N: Number(log2N), r: Number(r), p: Number(p) },
		salt: fromBase64url(salt),
		key: fromBase64url(key),
	}
}

export function scryptPasswords(cost: PasswordCost = standardCost): Passwords {
	const dummyHash = formatPhc(cost, new Uint8Array(SALT_BYTES), new Uint8Array(KEY_BYTES))
	return {
		async hash(password) {
			const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
			return formatPhc(cost, salt, await derive(password, salt, cost))
		},
		async verify(password, phc) {
			const stored = parsePhc(phc ?? dummyHash)
			const key = await derive(password, stored.salt, stored.cost)
			const outdated = formatPhc(stored.cost, stored.salt, key) !== formatPhc(cost, stored.salt, key)
			return { ok: crypto.subtle.timingSafeEqual(key, stored.key) && phc !== null, outdated }
		},
	}
}
