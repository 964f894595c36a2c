import { expect, test } from 'vitest'
import { isAnimated } from '../../../../edge/platform/images/animation.ts'
import {
	pngChunk,
	pngWith,
	webpCanvas,
	webpFile,
	webpFrame,
	wholeJpg,
	wholePng,
	wholeWebp,
} from '../../../support/shared/whole-pictures.ts'

test('a WebP or PNG with several frames is animated', () => {
	expect(isAnimated(webpFile([webpCanvas(2), webpFrame()]))).toBe(true)
	expect(isAnimated(pngWith([pngChunk('acTL', [0, 0, 0, 2, 0, 0, 0, 0])]))).toBe(true)
})

test('a still image, an image with other flags and a cut file are not animated', () => {
	for (const bytes of [wholeJpg, wholePng, wholeWebp, webpFile([webpCanvas(8)]), wholePng.slice(0, 20)])
		expect(isAnimated(bytes)).toBe(false)
})
