import { toHex } from '../../platform/tokens/digest.ts'

/** Manifests lie in a folder of their own, so that listing them lists the backups. */
export const MANIFESTS = 'backups/manifests/'
export const CHUNKS = 'backups/chunks/'

export const manifestObjectKey = (backupId: string): string => `${MANIFESTS}${backupId}.json`

export const parseBackupId = (manifestKey: string): string =>
	manifestKey.slice(MANIFESTS.length, -'.json'.length)

/** Returns a key that no other attempt uses, since two may write the same position. */
export function newChunkKey(backupId: string, position: number): string {
	const unique = toHex(crypto.getRandomValues(new Uint8Array(8)))
	return `${CHUNKS}${backupId}/${String(position).padStart(6, '0')}-${unique}`
}
