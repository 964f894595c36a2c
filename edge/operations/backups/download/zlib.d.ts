/** The part of node:zlib that backups use. Workers provide it under `nodejs_compat`. */
declare module 'node:zlib' {
	export function crc32(bytes: Uint8Array): number
}
