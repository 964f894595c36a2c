import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanImage } from '../../../../edge/platform/images/clean-image.ts'
import { propertyRuns } from '../../../support/shared/property-runs.ts'
import * as pictures from '../../../support/shared/whole-pictures.ts'

const { SECRET, segment, pngChunk, webpChunk } = pictures

const latin = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)
const clean = (bytes: Uint8Array): Uint8Array => {
	const image = cleanImage(bytes)
	if ('problem' in image) throw new Error(image.problem)
	return image.bytes
}
/** Returns big-endian TIFF data whose only entry is the orientation. */
const onlyOrientation = (value: number) =>
	`MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0${String.fromCharCode(value)}\0\0\0\0\0\0`
const wholes = { jpg: pictures.wholeJpg, png: pictures.wholePng, webp: pictures.wholeWebp }
const kinds = ['jpg', 'png', 'webp'] as const

describe.each(kinds)('a %s', (kind) => {
	test('an image without metadata stays identical', () => {
		expect(clean(wholes[kind])).toEqual(wholes[kind])
	})

	test('an image loses its location and keeps its orientation and image data', () => {
		const dirty = pictures.picturesWithPlaces[kind]
		expect(latin(dirty)).toContain(SECRET)
		const cleaned = clean(dirty)
		const text = latin(cleaned)
		expect(text).not.toContain(SECRET)
		expect(text).toContain(onlyOrientation(6))
		expect(cleaned.byteLength).toBeLessThan(wholes[kind].byteLength + 60)
		// Starts after the file header, since the canvas of a WebP may differ.
		const imageData = {
			jpg: latin(wholes.jpg.slice(20)),
			png: latin(wholes.png.slice(33)),
			webp: latin(wholes.webp.slice(12)),
		}
		expect(text).toContain(imageData[kind])
		expect(clean(cleaned)).toEqual(cleaned)
	})

	test('an image is rejected if it is truncated anywhere', () => {
		const { byteLength } = wholes[kind]
		for (let length = 0; length < byteLength; length++)
			expect(cleanImage(wholes[kind].subarray(0, length)), String(length)).toHaveProperty('problem')
	})

	test('an image with arbitrary bytes or changes is cleaned or rejected, and cleaning is idempotent', () => {
		const seeds = [wholes[kind], pictures.picturesWithPlaces[kind]]
		const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(3)), { minLength: 1, maxLength: 6 })
		const changed = fc.tuple(fc.constantFrom(...seeds), changes).map(([seed, edits]) => {
			let bytes = [...seed]
			for (const [place, value, how] of edits) {
				const at = place % bytes.length
				if (how === 0) bytes[at] = value
				else if (how === 1) bytes.splice(at, value % 9)
				else if (how === 2) bytes.splice(at, 0, ...Array(value % 9).fill(value))
				else bytes = [...bytes.slice(0, at), 0xff, 0xff, ...bytes.slice(at + 2)]
				if (bytes.length === 0) bytes = [value]
			}
			return Uint8Array.from(bytes)
		})
		const head = fc
			.uint8Array({ maxLength: 200 })
			.map((tail) => Uint8Array.from([...wholes[kind].slice(0, 40), ...tail]))
		fc.assert(
			fc.property(fc.oneof(changed, head, fc.uint8Array({ maxLength: 300 })), (bytes) => {
				const image = cleanImage(bytes)
				if ('problem' in image) expect(image.problem).not.toBe('')
				else expect(clean(image.bytes)).toEqual(image.bytes)
			}),
			{ numRuns: propertyRuns(500) },
		)
	})
})

test('keeps the color profile and color transform of a JPEG but not its thumbnail', () => {
	const profile = segment(0xe2, 'ICC_PROFILE\0\x01\x01profile')
	const adobe = segment(0xee, 'Adobe\0\x64\0\0\0\0\x01')
	expect(latin(clean(pictures.jpgWith([profile, adobe])))).toContain(
		latin(Uint8Array.from([...profile, ...adobe])),
	)
	const withThumbnail = Uint8Array.from([
		...[0xff, 0xd8, ...segment(0xe0, `JFIF\0\x01\x01\0\0\x01\0\x01\x01\x06${SECRET}+`)],
		...pictures.wholeJpg.slice(20),
	])
	expect(clean(withThumbnail)).toEqual(pictures.wholeJpg)
})

test('keeps the colors, transparency and animation of a PNG', () => {
	for (const name of [
		'gAMA',
		'cHRM',
		'sRGB',
		'iCCP',
		'cICP',
		'mDCV',
		'cLLI',
		'tRNS',
		'acTL',
		'fcTL',
		'pHYs',
	]) {
		const png = pictures.pngWith([pngChunk(name, 'abcd')])
		expect(clean(png), name).toEqual(png)
	}
})

test('removes metadata from the frames of an animated WebP and keeps their image data', () => {
	const animation = (more: number[][]) =>
		pictures.webpFile([
			...[pictures.webpCanvas(0x02), webpChunk('ANIM', [0, 0, 0, 0, 0, 0])],
			...[pictures.webpFrame(more), pictures.webpFrame()],
		])
	expect(clean(animation([webpChunk('EXIF', SECRET), webpChunk('odd ', SECRET)]))).toEqual(animation([]))
})

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 0])(
	'keeps the orientation %i of an image only if it is valid and transforms the image',
	(value) => {
		const exif = pictures.makeExif(value)
		const isKept = value >= 2 && value <= 8
		const jpg = pictures.jpgWith([segment(0xe1, [...[...'Exif\0\0'].map((c) => c.charCodeAt(0)), ...exif])])
		const png = pictures.pngWith([pngChunk('eXIf', exif)])
		const webp = pictures.webpFile([pictures.webpCanvas(0x08), pictures.webpStill, webpChunk('EXIF', exif)])
		for (const bytes of [jpg, png, webp])
			expect(latin(clean(bytes)).includes(onlyOrientation(value))).toBe(isKept)
		expect(clean(webp)[20]).toBe(isKept ? 0x08 : 0)
	},
)

const MEBI = 1024 ** 2
const filled = (head: Uint8Array, fill: number[]) => {
	const bytes = new Uint8Array(10 * MEBI)
	bytes.set(head)
	for (let at = head.byteLength; at < bytes.byteLength; at++)
		bytes[at] = fill[(at - head.byteLength) % fill.length] as number
	return bytes
}
const upToScan = pictures.wholeJpg.subarray(0, pictures.wholeJpg.byteLength - 12)
const pngHead = pictures.wholePng.subarray(0, 33)

test.each<[string, Uint8Array]>([
	['thousands of comments', pictures.jpgWith(Array(2_000).fill(segment(0xfe, 'x')))],
	['thousands of texts', pictures.pngWith(Array(2_000).fill(pngChunk('zTXt', 'x')))],
	[
		'thousands of unknown chunks',
		pictures.webpFile([
			pictures.webpCanvas(0),
			pictures.webpStill,
			...Array(2_000).fill(webpChunk('odd ', '')),
		]),
	],
	[
		'thousands of chunks in a frame',
		pictures.webpFile([pictures.webpCanvas(2), pictures.webpFrame(Array(2_000).fill(webpChunk('odd ', '')))]),
	],
	['a segment longer than the file', pictures.jpgWith([[0xff, 0xe1, 0xff, 0xff, 0]])],
	['a segment shorter than its length', pictures.jpgWith([[0xff, 0xe1, 0, 1]])],
	['a chunk longer than the file', pictures.pngWith([[0xff, 0xff, 0xff, 0xff, 0x74, 0x45, 0x58, 0x74]])],
	['a RIFF longer than the file', pictures.wholeWebp.map((byte, at) => (at === 6 ? 1 : byte))],
	['ten mebibytes of filling bytes', filled(pictures.wholeJpg.subarray(0, 20), [0xff])],
	['a scan of ten mebibytes without an end', filled(upToScan, [0xff, 0])],
	['a million empty chunks without an end', filled(pngHead, pngChunk('IDAT', []))],
	['two frames', pictures.jpgWith([[...pictures.wholeJpg.slice(158, 177)]])],
	['no image data', pictures.webpFile([pictures.webpCanvas(0), webpChunk('ICCP', 'x')])],
	['an unknown critical chunk', pictures.pngWith([pngChunk('CgBI', '')])],
])('rejects an image with %s', (_, bytes) => {
	expect(cleanImage(bytes)).toMatchObject({
		problem: expect.stringMatching(/damaged/),
	})
})
