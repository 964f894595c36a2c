import type { ReadWindow } from './read-window.ts'

/** Identifiers of the ASF specification. */
export const ASF_HEADER = Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')
const ENCRYPTIONS = new Set([
	// Content Encryption, Extended Content Encryption, Advanced Content Encryption.
	'fbb3112223bdd211b4b700a0c955fc6e',
	'14e68a292226174cb935dae07ee9289c',
	'338505438169e6499b74ad12cb86d58c',
])
const MAX_OBJECTS = 1_000

/** Whether the header has an object that describes encryption. */
export async function isAsfEncrypted(window: ReadWindow): Promise<boolean> {
	const header = await window.read(0, 30)
	if (header.length < 30) return false
	const end = Number(header.readBigUInt64LE(16))
	let at = 30
	for (let objects = 0; objects < MAX_OBJECTS && at < end; objects++) {
		const head = await window.read(at, 24)
		if (head.length < 24) return false
		if (ENCRYPTIONS.has(head.toString('hex', 0, 16))) return true
		const size = Number(head.readBigUInt64LE(16))
		if (size < 24) return false
		at += size
	}
	return false
}
