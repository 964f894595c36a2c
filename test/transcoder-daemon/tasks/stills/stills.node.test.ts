/** @module-tag ffmpeg */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import type { TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { programs, temporaryFolder } from '../../ffmpeg/programs.ts'
import { makeVideo, type Recipe } from '../make-video.ts'
import { type MadeStills, makeStills } from './make-stills.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

const make = async (
	recipe: Recipe,
	more: Partial<TaskSpecByKind<'stills'>> = {},
	workDir = folder.path,
): Promise<MadeStills> => makeStills(await makeVideo(folder.path, recipe), workDir, more)

async function sizeOf(bytes: Buffer | undefined): Promise<{ width: number; height: number }> {
	const path = join(folder.path, 'examined.jpg')
	await writeFile(path, bytes ?? Buffer.alloc(0))
	const { stdout } = await execa(programs.ffprobe, [
		...['-loglevel', 'error', '-show_entries', 'stream=width,height', '-of', 'json', path],
	])
	return JSON.parse(stdout).streams[0]
}

/** Returns the mean brightness of parts of a frame, row by row. */
async function brightness(bytes: Buffer | undefined, columns: number, rows: number): Promise<number[]> {
	const { stdout } = await execa(
		programs.ffmpeg,
		[
			...['-loglevel', 'error', '-f', 'mjpeg', '-i', 'pipe:0'],
			...['-vf', `scale=${columns}:${rows}:flags=area,format=gray`, '-f', 'rawvideo', '-'],
		],
		{ input: bytes ?? Buffer.alloc(0), encoding: 'buffer' },
	)
	return [...stdout]
}

const h264 = ['-c:v', 'libx264', '-g', '15']

test('a black frame at the beginning is not used as the poster', async () => {
	const { stored, result } = await make({
		name: 'dark.mp4',
		seconds: 12,
		args: [...h264, '-vf', "drawbox=enable='lt(t,9)':color=black:t=fill"],
	})
	const [mean = 0] = await brightness(stored.get('poster.jpg'), 1, 1)
	expect(mean).toBeGreaterThan(60)
	expect(await sizeOf(stored.get('poster.jpg'))).toMatchObject({ width: 320, height: 180 })
	expect(result.sheets).toEqual([])
})

test.each([
	['at a key frame if each clip has its own', '30', 'bright'],
	['at a key frame if only the first clip has no other than the first frame', '90', 'bright'],
	['at its exact start if key frames are rare', '1000', 'dark'],
])('a preview clip begins %s', async (_, gop, expected) => {
	const { stored } = await make({
		name: `clips-${gop}.mp4`,
		seconds: 18,
		// The second half of each second, in which clips start, is black; key frames at full seconds are bright.
		args: ['-c:v', 'libx264', '-g', gop, '-vf', "drawbox=enable='gt(mod(t,1),0.45)':color=black:t=fill"],
	})
	const [mean = 0] = await brightness(stored.get('poster.jpg'), 1, 1)
	expect(mean > 60 ? 'bright' : 'dark').toBe(expected)
})

test('the animated preview has about three seconds and loops', async () => {
	const { stored } = await make({ name: 'moving.mp4', seconds: 12, args: h264 })
	const webp = stored.get('preview.webp') ?? Buffer.alloc(0)
	expect(webp.toString('latin1', 0, 4) + webp.toString('latin1', 8, 12)).toBe('RIFFWEBP')
	const frames = webp.toString('latin1').split('ANMF').length - 1
	expect(frames).toBeGreaterThanOrEqual(28)
	expect(frames).toBeLessThanOrEqual(32)
	// Chunk ANIM: background color, then loop count; 0 means endless.
	expect(webp.readUInt16LE(webp.indexOf('ANIM') + 12)).toBe(0)
})

test.each([
	{ name: 'transport.ts', seconds: 9, args: h264 },
	{ name: 'short.mp4', seconds: 1 },
	{ name: 'one-frame.mp4', seconds: 1, args: ['-frames:v', '1'], sound: false },
	{ name: 'one-group.mp4', seconds: 9, args: ['-c:v', 'libx264', '-g', '1000'] },
	{ name: 'interlaced.mp4', rate: '25', args: ['-vf', 'setfield=tff', '-flags', '+ildct+ilme'] },
	{
		name: 'hdr.mkv',
		args: [
			...['-pix_fmt', 'yuv420p10le', '-c:v', 'libx264'],
			...['-x264-params', 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc'],
		],
	},
	{ name: 'late.mkv', args: ['-map', '1:a', '-map', '0:v', '-vf', 'setpts=PTS+1.5/TB'] },
] satisfies Recipe[])('a poster and a preview of $name are made', async (recipe) => {
	const { result } = await make(recipe)
	expect(result.poster.bytes).toBeGreaterThan(500)
	expect(result.preview.bytes).toBeGreaterThan(500)
})

const storyboard = { everyFrames: 30, tileWidth: 64, tileHeight: 36, columns: 4, tilesPerSheet: 8 }

test.each([
	['only key frames are decoded', '15'],
	['all frames are decoded if key frames are rare', '1000'],
])('the sheets of thumbnails have one of every second: %s', async (_, gop) => {
	// Each second is slightly brighter.
	const bright = 'geq=lum=16+18*floor(T):cb=128:cr=128'
	const recipe = { name: `gop-${gop}.mp4`, seconds: 11, args: ['-c:v', 'libx264', '-g', gop, '-vf', bright] }
	const { result, stored } = await make(recipe, { storyboard: { ...storyboard, frames: 330 } })
	expect(result.sheets).toMatchObject([
		{ name: 'sheets/0.jpg', columns: 4, rows: 2, tiles: 8 },
		{ name: 'sheets/1.jpg', columns: 4, rows: 2, tiles: 3 },
	])
	expect(await sizeOf(stored.get('sheets/0.jpg'))).toMatchObject({ width: 256, height: 72 })
	const tiles = [
		...(await brightness(stored.get('sheets/0.jpg'), 4, 2)),
		...(await brightness(stored.get('sheets/1.jpg'), 4, 2)),
	]
	tiles.slice(0, 11).forEach((tile, second) => {
		expect(Math.abs(tile - (18 * second * 255) / 219), `second ${second}`).toBeLessThan(12)
	})
})

test('a stills task that cannot write does not blame the source', async () => {
	const made = make({ name: 'unwritten.mp4', seconds: 1 }, {}, join(folder.path, 'gone'))
	await expect(made).rejects.toMatchObject({ name: 'ProgramError', stderr: /No such file or directory/ })
})
