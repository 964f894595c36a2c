import { expect, test } from 'vitest'
import { computeUpscale } from '../../../../../edge/web/player/reporting/upscale.ts'

test.each([
	['twice its size', { width: 1_280, height: 720 }, { width: 640, height: 360 }, 1],
	['its own size', { width: 640, height: 360 }, { width: 640, height: 360 }, 0],
	['less than its size', { width: 320, height: 180 }, { width: 640, height: 360 }, 0],
	['half as much again, between bars', { width: 960, height: 1_000 }, { width: 640, height: 360 }, 0.5],
	['no size, as audio has none', { width: 960, height: 1_000 }, { width: 0, height: 0 }, 0],
])('the upscaling is computed for an image that is shown at %s', (_, box, picture, upscale) => {
	const half = { clientWidth: box.width / 2, clientHeight: box.height / 2 }
	expect(computeUpscale(half, picture, 2)).toBe(upscale)
})
