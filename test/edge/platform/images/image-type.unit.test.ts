import { expect, test } from 'vitest'
import { identifyImage } from '../../../../edge/platform/images/image-type.ts'
import { makeJpg, makePng, makeWebp } from '../../../support/shared/pictures.ts'

const kinds = {
	PNG: makePng,
	JPEG: makeJpg,
	'progressive JPEG': (width: number, height: number) => makeJpg(width, height, 0xc2),
	'WebP with losses': makeWebp,
	'WebP without losses': (width: number, height: number) => makeWebp(width, height, 'VP8L'),
	'animated WebP': (width: number, height: number) => makeWebp(width, height, 'VP8X'),
}

test.each(Object.entries(kinds))('accepts a %s of the largest camera resolution', (_, make) => {
	expect(identifyImage(make(8_192, 6_000))).toMatchObject({ contentType: expect.stringMatching(/^image/) })
	expect(identifyImage(make(1, 16_383))).not.toHaveProperty('problem')
})

test.each(Object.entries(kinds))('rejects a %s with more pixels than the limit', (_, make) => {
	expect(identifyImage(make(16_000, 16_000))).toEqual({
		problem: 'the image has 16000 × 16000 pixels; the limit is 50 million in total and 16384 per side',
	})
})

test.each([
	['PNG', makePng(100_000, 100_000)],
	['PNG, narrow', makePng(4_000_000_000, 1)],
	['JPEG', makeJpg(65_535, 65_535)],
	['JPEG, narrow', makeJpg(65_535, 1)],
	['animated WebP', makeWebp(16_000_000, 16_000_000, 'VP8X')],
])('rejects a decompression bomb of a few bytes: %s', (_, bytes) => {
	expect(bytes.length).toBeLessThan(60)
	expect(identifyImage(bytes)).toMatchObject({ problem: expect.stringContaining('the limit is 50 million') })
})

test.each([
	['PNG without a size', makePng(10, 10).subarray(0, 20)],
	['PNG of zero width', makePng(0, 10)],
	['PNG with another first chunk', makePng(10, 10).map((byte, at) => (at === 12 ? 0x4a : byte))],
	['JPEG without a frame', makeJpg(10, 10).subarray(0, 20)],
	['JPEG that defines its height later', makeJpg(10, 0)],
	['JPEG without valid segments', Uint8Array.from([0xff, 0xd8, 0xff, ...Array(50).fill(0)])],
	['WebP without a frame', makeWebp(10, 10).subarray(0, 25)],
	['WebP of another kind', makeWebp(10, 10).map((byte, at) => (at === 15 ? 0x5a : byte))],
])('rejects a %s', (_, bytes) => {
	expect(identifyImage(bytes)).toEqual({ problem: 'the image is damaged' })
})

test('reads the size of an image from a view into a larger buffer', () => {
	const all = new Uint8Array(100)
	all.set(makePng(100_000, 100_000), 7)
	expect(identifyImage(all.subarray(7))).toHaveProperty('problem')
})
