import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { drawQrCode } from '../../../../../edge/web/player/share/qr-code.ts'

// The digests are of codes that the npm package qrcode-generator 2 draws with the same mask.
test.each([
	[1, 0, 14, '3ab449cdbd0bc321'],
	[2, 3, 26, '987b87ce6c78a3f1'],
	[3, 0, 42, '73ffa269538f62e9'],
	[4, 12, 62, '261bfe3561427c64'],
	[7, 9, 122, '02436285f2d8766d'],
	[8, 15, 152, 'fa759f1098a33677'],
])('a QR code of version %d is the same as that of another program', (version, prefix, length, digest) => {
	const code = drawQrCode(`${prefix}`.padEnd(length, 'https://e.org/watch/')) ?? []
	expect(code).toHaveLength(version * 4 + 17)
	const text = code.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join('')).join('\n')
	expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(digest)
})

test('a QR code takes 180 bytes, and no longer text has a code', () => {
	expect(drawQrCode('ä'.repeat(90))).toHaveLength(53)
	expect(drawQrCode('ä'.repeat(90).concat('a'))).toBeNull()
})
