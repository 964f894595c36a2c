/** @module-tag ffmpeg */

import { join } from 'node:path'
import { execa } from 'execa'
import { rgbaToThumbHash, thumbHashToApproximateAspectRatio, thumbHashToRGBA } from 'thumbhash'
import { afterAll, expect, test } from 'vitest'
import { corpus } from '../../../support/shared/corpus.ts'
import { programs, temporaryFolder } from '../../ffmpeg/programs.ts'
import { makeVideo } from '../make-video.ts'
import { type MadeStills, makeStills } from './make-stills.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

type Color = [r: number, g: number, b: number]
type Picture = { w: number; h: number; rgba: Uint8Array }
type Part = [left: number, top: number, right: number, bottom: number]

function decode({ placeholder }: MadeStills['result']): { hash: Buffer; picture: Picture } {
	const hash = Buffer.from(placeholder ?? '', 'base64')
	return { hash, picture: thumbHashToRGBA(hash) }
}

/** Returns the mean color of a part of a picture, whose borders are shares of its sides. */
function meanColor({ w, h, rgba }: Picture, [left, top, right, bottom]: Part = [0, 0, 1, 1]): Color {
	const sum: Color = [0, 0, 0]
	let pixels = 0
	for (let y = Math.ceil(top * h); y < Math.floor(bottom * h); y++)
		for (let x = Math.ceil(left * w); x < Math.floor(right * w); x++, pixels++)
			for (const channel of [0, 1, 2] as const) sum[channel] += rgba[4 * (y * w + x) + channel] ?? 0
	return sum.map((value) => value / pixels) as Color
}

/** Returns what the library makes of a whole poster. */
async function blur(poster: Buffer | undefined, { w, h }: Picture): Promise<Picture> {
	const factor = 100 / Math.max(w, h)
	const [width, height] = [Math.round(w * factor), Math.round(h * factor)]
	const { stdout } = await execa(
		programs.ffmpeg,
		[
			...['-loglevel', 'error', '-f', 'mjpeg', '-i', 'pipe:0'],
			...['-vf', `scale=${width}:${height}:flags=area,format=rgba`, '-f', 'rawvideo', '-'],
		],
		{ input: poster ?? Buffer.alloc(0), encoding: 'buffer' },
	)
	return thumbHashToRGBA(rgbaToThumbHash(width, height, stdout))
}

function meanDifference(a: Picture, b: Picture): number {
	expect([a.w, a.h]).toEqual([b.w, b.h])
	return a.rgba.reduce((sum, value, at) => sum + Math.abs(value - (b.rgba[at] ?? 0)), 0) / a.rgba.length
}

function expectColor(actual: Color, expected: Color, tolerance: number, what: string): void {
	for (const channel of [0, 1, 2] as const)
		expect(Math.abs(actual[channel] - expected[channel]), `${what}: ${actual} is ${expected}`).toBeLessThan(
			tolerance,
		)
}

const ORANGE: Color = [200, 140, 80]
const BLUE: Color = [70, 100, 170]
const BOTH: Color = [135, 120, 125]
const hex = (color: Color) => `0x${Buffer.from(color).toString('hex')}`

type Painting = { size: string; box: string; first: Part; second: Part; aspectRatio: number }

test.each<Painting>([
	{ size: '320x180', box: 'w=iw/2', first: [0, 0, 0.4, 1], second: [0.6, 0, 1, 1], aspectRatio: 16 / 9 },
	{ size: '180x320', box: 'h=ih/2', first: [0, 0, 1, 0.4], second: [0, 0.6, 1, 1], aspectRatio: 9 / 16 },
])('the placeholder of a video of $size has its colors in their places', async (painted) => {
	const { size, box, first, second, aspectRatio } = painted
	const paint = [`drawbox=color=${hex(BLUE)}:t=fill`, `drawbox=${box}:color=${hex(ORANGE)}:t=fill`]
	const path = await makeVideo(folder.path, {
		...{ name: `painted-${size}.mp4`, size, seconds: 2, sound: false },
		args: ['-vf', ['format=gbrp', ...paint, 'scale=out_color_matrix=smpte170m', 'format=yuv420p'].join(',')],
	})
	const { result } = await makeStills(path, folder.path)
	const { hash, picture } = decode(result)
	expect(hash.length).toBeLessThan(40)
	expect(thumbHashToApproximateAspectRatio(hash) / aspectRatio).toBeCloseTo(1, 1)
	expectColor(meanColor(picture), BOTH, 8, 'the whole picture')
	// A ThumbHash has few terms for color, so colors overshoot at a sharp edge.
	expectColor(meanColor(picture, first), ORANGE, 30, 'the first half')
	expectColor(meanColor(picture, second), BLUE, 30, 'the second half')
})

test.each([
	['pal-25', 16 / 9],
	['portrait', 9 / 16],
	['rotation-90', 9 / 16],
	['anamorphic', 16 / 9],
	['full-range', 16 / 9],
	['hdr', 16 / 9],
])('the placeholder of %s looks like its poster', async (name, aspectRatio) => {
	const item = corpus.find((each) => each.name === name)
	if (!item) throw new Error(`the corpus has no ${name}`)
	const path = join(folder.path, item.file)
	await item.make(programs.ffmpeg, path)
	const { result, stored } = await makeStills(path, folder.path)
	const { hash, picture } = decode(result)
	expect(thumbHashToApproximateAspectRatio(hash) / aspectRatio).toBeCloseTo(1, 1)
	expect(meanDifference(picture, await blur(stored.get('poster.jpg'), picture))).toBeLessThan(4)
})

test('the placeholder shows the chosen poster, not the first frame', async () => {
	const path = await makeVideo(folder.path, {
		...{ name: 'dark-at-first.mp4', seconds: 12 },
		args: ['-c:v', 'libx264', '-g', '15', '-vf', "drawbox=enable='lt(t,9)':color=black:t=fill"],
	})
	const { result, stored } = await makeStills(path, folder.path)
	const { picture } = decode(result)
	expect(Math.max(...meanColor(picture))).toBeGreaterThan(60)
	expect(meanDifference(picture, await blur(stored.get('poster.jpg'), picture))).toBeLessThan(4)
})
