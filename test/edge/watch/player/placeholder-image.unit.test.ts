import fc from 'fast-check'
import { rgbaToThumbHash } from 'thumbhash'
import { expect, test } from 'vitest'
import { renderPlaceholderImage } from '../../../../edge/watch/player/placeholder-image.ts'

const base64Of = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

function hashOf(
	width: number,
	height: number,
	[red, green, blue]: readonly [number, number, number],
): string {
	const pixels = Array.from({ length: width * height }, () => [red, green, blue, 255]).flat()
	return base64Of(rgbaToThumbHash(width, height, Uint8Array.from(pixels)))
}

/** Returns the size in the header of a PNG. */
function sizeOf(url: string): { width: number; height: number } {
	const bytes = Uint8Array.from(atob(url.slice('data:image/png;base64,'.length)), (c) => c.charCodeAt(0))
	const header = new DataView(bytes.buffer)
	return { width: header.getUint32(16), height: header.getUint32(20) }
}

test.each([
	['wide', 64, 36, 16],
	['tall', 36, 64, 16],
	['square', 50, 50, 16],
])('the placeholder of a %s poster is a small image of its shape', (_, width, height, longest) => {
	const size = sizeOf(renderPlaceholderImage(hashOf(width, height, [200, 30, 30])))
	expect(Math.max(size.width, size.height)).toBe(longest)
	expect(size.width / size.height).toBeCloseTo(width / height, 0)
})

test('a placeholder is at most 2 kB of characters that may stand in a style sheet', () => {
	fc.assert(
		fc.property(fc.uint8Array({ minLength: 5, maxLength: 40 }), (bytes) => {
			const url = renderPlaceholderImage(base64Of(bytes))
			expect(url).toMatch(/^data:image\/png;base64,[A-Za-z0-9+/=]+$/)
			expect(url.length).toBeLessThan(4_000)
		}),
	)
})
