import { encodeBase62, randomBase62 } from '../../platform/database/ids.ts'

/**
 * A key is `phk_live_`, 32 random base62 characters and 6 characters of their CRC32. The checksum lets secret scanners
 * recognize real keys offline, and lets us reject a mistyped key without a database query.
 */
const PREFIX = 'phk_live_'
const RANDOM_LENGTH = 32
const CHECKSUM_LENGTH = 6
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`)

export function makeApiKey(): { key: string; prefix: string; lastFour: string } {
	const random = randomBase62(RANDOM_LENGTH)
	const key = `${PREFIX}${random}${checksum(random)}`
	return { key, prefix: key.slice(0, PREFIX.length + 4), lastFour: key.slice(-4) }
}

export function isWellFormedApiKey(key: string): boolean {
	if (!SHAPE.test(key)) return false
	const random = key.slice(PREFIX.length, -CHECKSUM_LENGTH)
	return checksum(random) === key.slice(-CHECKSUM_LENGTH)
}

const checksum = (text: string) => encodeBase62(crc32(text), CHECKSUM_LENGTH)

function crc32(text: string): number {
	let crc = 0xffffffff
	for (let i = 0; i < text.length; i++) {
		crc ^= text.charCodeAt(i)
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
	}
	return (crc ^ 0xffffffff) >>> 0
}
