/** The part of node:zlib that Workers offer under `nodejs_compat` and backups use. */
declare module 'node:zlib' {
	export function crc32(bytes: Uint8Array): number
}
