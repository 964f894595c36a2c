import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanImage } from '../../../../edge/platform/images/clean-image.ts'
import { identifyImage } from '../../../../edge/platform/images/image-type.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'
import { SECRET, wholePng } from '../../../support/shared/whole-pictures.ts'
import { avifBox, avifWithPlaces, makeAvif, wholeAvif } from './avif-pictures.ts'

const latin = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)
const cleanOrRefuse = (bytes: Uint8Array) => cleanImage(bytes, ['png', 'avif'])
const clean = (bytes: Uint8Array): Uint8Array => {
	const image = cleanOrRefuse(bytes)
	if ('problem' in image) throw new Error(image.problem)
	return image.bytes
}
const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)

describe('an AVIF', () => {
	test('without metadata stays identical', () => {
		expect(clean(wholeAvif)).toEqual(wholeAvif)
	})

	test('loses its location and keeps the place of its image data', () => {
		expect(latin(avifWithPlaces).split(SECRET)).toHaveLength(10)
		const cleaned = clean(avifWithPlaces)
		expect(latin(cleaned)).not.toMatch(/N52|xmp|Exif|mime|rdf|uuid|moov|udes/)
		const frame = latin(wholeAvif).slice(-25)
		expect(latin(cleaned).indexOf(frame)).toBe(latin(avifWithPlaces).indexOf(frame))
		expect(clean(cleaned)).toEqual(cleaned)
	})

	test('loses everything behind its last box of image data', () => {
		const box = avifBox('uuid', [...wholePng])
		expect(clean(Uint8Array.from([...wholeAvif, ...box]))).toEqual(wholeAvif)
	})

	test('that is an animation becomes its still image', () => {
		const animation = makeAvif({ brands: 'avis\0\0\0\0avifavismif1' })
		expect(clean(animation)).toEqual(makeAvif({ brands: 'avif\0\0\0\0avifavifmif1' }))
	})

	test('may keep its image data in the box idat', () => {
		const frame = [...wholeAvif.slice(-25)]
		const inMeta = [avifBox('idat', [9, 9], frame, [9])]
		const made = makeAvif({ inMeta, place: { method: 1, offset: 2, length: 25 } })
		expect(latin(clean(made))).toContain(`idat\0\0${latin(Uint8Array.from(frame))}\0`)
	})

	test('is accepted only where its type is', () => {
		expect(cleanImage(wholeAvif)).toEqual({
			problem: 'the file is not a JPEG, PNG or WebP image',
		})
		expect(cleanOrRefuse(Uint8Array.from([1, 2, 3]))).toMatchObject({
			problem: 'the file is not a PNG or AVIF image',
		})
	})

	test('is rejected if it is truncated anywhere', () => {
		for (let length = 0; length < wholeAvif.byteLength; length++)
			expect(cleanOrRefuse(wholeAvif.subarray(0, length)), String(length)).toHaveProperty('problem')
	})

	test('is rejected if it declares more pixels than the limit', () => {
		expect(identifyImage(makeAvif({ size: [16_000, 16_000] }), ['jpg', 'avif'])).toMatchObject({
			problem: expect.stringContaining('16000 × 16000 pixels'),
		})
	})

	test('with arbitrary changes is cleaned or rejected, and cleaning it again changes nothing', () => {
		const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(2)), { minLength: 1, maxLength: 6 })
		const changed = fc.tuple(fc.constantFrom(wholeAvif, avifWithPlaces), edits).map(([seed, all]) => {
			const bytes = [...seed]
			for (const [place, value, how] of all) {
				const at = place % bytes.length
				if (how === 0) bytes[at] = value
				else if (how === 1) bytes.splice(at, Math.min(value % 9, bytes.length - 1))
				else bytes.splice(at, 0, ...repeat(value % 9, value))
			}
			return Uint8Array.from(bytes)
		})
		fc.assert(
			fc.property(changed, (bytes) => {
				const image = cleanOrRefuse(bytes)
				if ('problem' in image) expect(image.problem).not.toBe('')
				else expect(clean(image.bytes)).toEqual(image.bytes)
			}),
			{ numRuns: propertyRuns(1_000) },
		)
	})
})

test.each<[string, Uint8Array]>([
	['thousands of boxes', makeAvif({ inFile: repeat(2_000, avifBox('free')) })],
	['thousands of items', makeAvif({ items: repeat(2_000, { type: 'av01', content: [1] }) })],
	['thousands of parts', makeAvif({ place: { extents: 2_000 } })],
	['a part outside its image data', makeAvif({ place: { offset: 0 } })],
	['a part without bytes', makeAvif({ place: { length: 0 } })],
	['a part longer than the file', makeAvif({ place: { length: 0xffffffff } })],
	['image data in another file', makeAvif({ place: { file: 1 } })],
	['image data within another item', makeAvif({ place: { method: 2 } })],
	['image data in a missing box', makeAvif({ place: { method: 1, offset: 0 } })],
	['no image data', makeAvif({ place: { extents: 0 } })],
	['two lists of items', makeAvif({ inMeta: [avifBox('iinf', repeat(6, 0))] })],
	['a box longer than the file', Uint8Array.from([...wholeAvif, 0, 1, 0, 0, ...repeat(8, 70)])],
])('rejects an AVIF with %s', (_, bytes) => {
	expect(cleanOrRefuse(bytes)).toMatchObject({
		problem: expect.stringMatching(/damaged/),
	})
})

test.each([
	'<svg xmlns="http://www.w3.org/2000/svg"/>',
	'\ufeff \n<?xml version="1.0"?><!-- x --><!DOCTYPE svg PUBLIC "" "">\n<svg:svg><script/></svg:svg>',
])('says why SVG is rejected: %s', (text) => {
	expect(cleanOrRefuse(new TextEncoder().encode(text))).toEqual({
		problem: 'SVG images can contain scripts; convert the image to PNG or AVIF',
	})
})
