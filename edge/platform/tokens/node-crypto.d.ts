/** The parts of node:crypto that Workers offer under `nodejs_compat` and the edge uses. */
declare module 'node:crypto' {
	type ScryptOptions = { N: number; r: number; p: number; maxmem: number }
	export function scrypt(
		password: Uint8Array | string,
		salt: Uint8Array,
		keyLength: number,
		options: ScryptOptions,
		done: (error: Error | null, key: Uint8Array<ArrayBuffer>) => void,
	): void
	type Hash = { update(text: string): Hash; digest(): Uint8Array }
	export function createHash(algorithm: 'sha256'): Hash
}
