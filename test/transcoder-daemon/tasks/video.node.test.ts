/** @module-tag ffmpeg */

import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInspect } from '../../../transcoder-daemon/tasks/inspect.ts'
import { SourceError } from '../../../transcoder-daemon/tasks/task.ts'
import { runVideo } from '../../../transcoder-daemon/tasks/video.ts'
import { corpus, longCorpus } from '../../support/shared/corpus.ts'
import type { CorpusItem } from '../../support/shared/corpus-item.ts'
import {
	chunkSpecs,
	chunksAt,
	encodeChunks,
	examine,
	readNumbers,
	rung,
	rungsIn,
	videoSpec,
} from '../corpus/encoded.ts'
import { expectContinuity, expectEveryFrameOnce, firstNumbers } from '../corpus/every-frame.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { MemoryOutputs, taskContext } from './task-context.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
	folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

function named(name: string) {
	const item = corpus.find((each) => each.name === name)
	if (!item?.video) throw new Error(`the corpus has no video ${name}`)
	return { ...item, video: item.video }
}

/** Files of the corpus, each created once and shared. */
const made = new Map<string, Promise<string>>()
function make(item: CorpusItem): Promise<string> {
	const path = join(folder.path, item.file)
	const pending = made.get(item.name) ?? item.make(programs.ffmpeg, path).then(() => path)
	made.set(item.name, pending)
	return pending
}

test('video encoding finds shot changes, and nothing where the camera only moves', async () => {
	const path = join(folder.path, 'shots.mp4')
	const shots = ['mandelbrot=s=320x180:r=25', 'testsrc2=s=320x180:r=25', 'smptebars=s=320x180:r=25']
	const frames = [40, 61, 50]
	const inputs = shots.flatMap((source, at) => [
		'-f',
		'lavfi',
		'-t',
		`${(frames[at] ?? 0) / 25}`,
		'-i',
		source,
	])
	spawnSync(programs.ffmpeg, [
		...['-v', 'error', '-y', ...inputs, '-filter_complex', 'concat=n=3,format=yuv420p'],
		...['-c:v', 'libx264', '-preset', 'ultrafast', path],
	])
	const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 60 }, taskContext(path, folder.path))
	const { video } = info
	if (!video) throw new Error('no video')
	const storyboard = { everyFrames: 25, tileWidth: 160, tileHeight: 90, columns: 10 }
	const spec = videoSpec(video, { storyboard })
	const result = await runVideo(spec, taskContext(path, folder.path, { outputs: new MemoryOutputs() }))
	expect(result.shots).toEqual([40, 101])
	expect(result.sheet?.tiles).toBe(7)
	const other = await runVideo(
		{ ...spec, storyboard: null },
		taskContext(path, folder.path, { outputs: new MemoryOutputs() }),
	)
	expect(other.shots).toBeUndefined()
})

/** One example of each difficulty; npm run prove -- corpus covers the whole corpus. */
const short = [
	...[
		'film-23976',
		'ntsc-2997',
		'vfr',
		'open-gop',
		'long-gop',
		'rotation-90',
		'anamorphic',
		'interlaced',
		'hdr',
	],
	...['edit-list', 'start-not-zero', 'full-range', 'one-second'],
]
const items = [...corpus, ...longCorpus].filter(
	({ name, video }) => video && (process.env.CORPUS === 'all' || short.includes(name)),
)

/** Items for HEVC and AV1 with the product's options; their frame rates make boundaries difficult. */
const itemsInCodecs = [...corpus, ...longCorpus].flatMap((item) =>
	(['hevc', 'av1'] as const).flatMap((codec) => {
		const isIncluded = process.env.CORPUS === 'all' || ['ntsc-2997', 'hdr'].includes(item.name)
		return item.video && isIncluded ? [{ ...item, video: item.video, codec }] : []
	}),
)

test.concurrent.each(items)('video encoding of $name has every frame once', async (item) => {
	await expectEveryFrameOnce(item, await make(item), folder.path)
})

test.concurrent.each(itemsInCodecs)(
	'video encoding of $name in $codec has every frame once',
	async (item) => {
		const rungs = rungsIn(item.video, item.codec)
		const { results } = await expectEveryFrameOnce(item, await make(item), folder.path, { rungs })
		expect(results.flatMap(({ notes }) => notes)).toEqual([])
	},
)

test('video encoding cuts segments at the requested frames, even at uneven distances', async () => {
	const item = named('ntsc-2997')
	const cuts = [0, 17, 64, 90, 91, 130]
	const specs = chunksAt(item.video, cuts, 2)
	const { results, files } = await encodeChunks(specs, await make(item), folder.path)
	for (const index of [0, 1]) {
		const segments = results.flatMap(({ rungs }) => rungs[index]?.segments ?? [])
		expect(segments.map(({ frames }) => frames)).toEqual([17, 47, 26, 1, 39, 20])
		for (const { bytes, keyBytes } of segments) expect(keyBytes).toBeLessThanOrEqual(bytes)
	}
	for (const file of files) expect(await readNumbers(file, folder.path)).toEqual(firstNumbers(150))
})

test.each([
	['hevc', 'libx265', 'ultrafast', /^hvc1\./],
	['av1', 'libsvtav1', '12', /^av01\./],
] as const)('chunks encoded in %s join without gaps', async (codec, encoder, preset, codecs) => {
	const item = named('ntsc-2997')
	const rungs = [rung(320, 180, { id: codec, codec, encoder, preset, crf: 30, maxKbps: 1_000 })]
	// The shorter segment is first: an encoder with a fixed key frame interval would miss the cuts.
	const specs = chunksAt(item.video, [0, 17, 60, 75, 120], 3, { rungs })
	const { results, files } = await encodeChunks(specs, await make(item), folder.path)
	expect(new Set(results.map((result) => result.rungs[0]?.init.sha256)).size).toBe(1)
	expect(results[0]?.rungs[0]?.codecs).toMatch(codecs)
	await expectContinuity(files[0] ?? '', 150)
	expect(await readNumbers(files[0] ?? '', folder.path)).toEqual(firstNumbers(150))
})

test('video encoding makes one storyboard sheet per chunk in the same decode', async () => {
	const item = named('ntsc-2997')
	const storyboard = { everyFrames: 20, tileWidth: 128, tileHeight: 72, columns: 2 }
	const specs = chunkSpecs(item.video, { storyboard }, 3)
	const { results, outputs } = await encodeChunks(specs, await make(item), folder.path)
	expect(results.map(({ sheet }) => sheet)).toMatchObject([
		{ name: 'sheet.jpg', columns: 2, rows: 3, tiles: 5 },
		{ name: 'sheet.jpg', columns: 2, rows: 2, tiles: 3 },
	])
	// The last chunk's sheet is stored last under the name.
	const sheet = join(folder.path, 'sheet.jpg')
	await writeFile(sheet, outputs.stored.get('sheet.jpg') ?? '')
	const tiles: number[] = []
	for (const at of ['0:0', '128:0', '0:72']) {
		const [x, y] = at.split(':')
		const tile = join(folder.path, `tile-${x}-${y}.png`)
		await examine(['-i', sheet, '-vf', `crop=128:72:${x}:${y}`, '-y', tile], folder.path)
		tiles.push(...(await readNumbers(tile, folder.path)))
	}
	expect(tiles).toEqual([90, 110, 130])
})

test('video encoding stores segments as it goes, with progress that never decreases', async () => {
	const item = named('pal-25')
	// The sheet is complete only at the end, and no segment may wait for it.
	const storyboard = { everyFrames: 25, tileWidth: 128, tileHeight: 72, columns: 5 }
	const spec = videoSpec(item.video, { cuts: [0, 25, 50, 75, 100], storyboard })
	const shares: number[] = []
	const outputs = new MemoryOutputs()
	const progress = (share: number) => void shares.push(share)
	await runVideo(spec, taskContext(await make(item), folder.path, { outputs, progress }))
	const names = [...outputs.stored.keys()]
	for (const { id } of spec.rungs)
		expect(names.indexOf(`${id}/1.m4s`)).toBeLessThan(names.indexOf('sheet.jpg'))
	expect(names).toHaveLength(13)
	expect(shares).toEqual(shares.toSorted((a, b) => a - b))
	expect(shares.at(-1)).toBe(1)
})

test('an abort ends video encoding at once and reports its reason', async () => {
	const item = named('long-gop')
	const stop = new AbortController()
	class StoppingOutputs extends MemoryOutputs {
		override async put(name: string, bytes: Uint8Array) {
			await super.put(name, bytes)
			if (name.endsWith('.m4s')) stop.abort(new Error('the lease is lost'))
		}
	}
	const spec = videoSpec(item.video, { cuts: [0, 25, 50, 75, 100, 125, 150, 175] })
	const outputs = new StoppingOutputs()
	const context = taskContext(await make(item), folder.path, { outputs, signal: stop.signal })
	await expect(runVideo(spec, context)).rejects.toThrow('the lease is lost')
	expect(outputs.stored.size).toBeLessThan(10)
	const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
	expect(stdout.split('\n').filter((line) => line.includes(context.sourcePath ?? ''))).toEqual([])
})

test('video encoding ends with the reason when an output cannot be stored', async () => {
	class FullOutputs extends MemoryOutputs {
		override async put() {
			throw new Error('storage is full')
		}
	}
	const item = named('pal-25')
	const context = taskContext(await make(item), folder.path, { outputs: new FullOutputs() })
	await expect(runVideo(videoSpec(item.video), context)).rejects.toThrow('storage is full')
})

test('a truncated file is reported as a source error instead of a short success', async () => {
	const item = named('pal-25')
	const whole = await readFile(await make(item))
	const path = join(folder.path, 'faststart.mp4')
	const cut = join(folder.path, 'cut-off.mp4')
	await examine(['-i', await make(item), '-c', 'copy', '-movflags', '+faststart', '-y', path], folder.path)
	await writeFile(cut, (await readFile(path)).subarray(0, Math.round(whole.length * 0.6)))
	// One chunk for everything, the missing part, and the end.
	for (const spec of [
		videoSpec(item.video),
		videoSpec(item.video, { frames: 125 }),
		...chunkSpecs(item.video).slice(-2),
	])
		await expect(runVideo(spec, taskContext(cut, folder.path))).rejects.toThrow(SourceError)
	await writeFile(cut, whole.subarray(0, 5_000))
	await expect(runVideo(videoSpec(item.video), taskContext(cut, folder.path))).rejects.toThrow(SourceError)
})

test('video encoding falls back to software when hardware fails, and notes it', async () => {
	const item = named('pal-25')
	const spec = videoSpec(item.video, { rungs: [rung(320, 180, { encoder: 'h264_nvenc' })] })
	// As when a driver breaks after the trials.
	const proved = { encoders: ['h264_nvenc', 'libx264'], decoders: ['cuda'], devices: {} }
	const result = await runVideo(spec, taskContext(await make(item), folder.path, { proved }))
	expect(result).toMatchObject({ frames: 125, hwAccelUsed: false, rungs: [{ encoder: 'libx264' }] })
	expect(result.notes).toMatchObject(
		[/without cuda, h264_nvenc, which failed: ./, /without h264_nvenc, which failed: ./].map((note) =>
			expect.stringMatching(note),
		),
	)
})

test('an encoder that this machine lacks is replaced with the software encoder', async () => {
	const item = named('pal-25')
	const spec = videoSpec(item.video, { rungs: [rung(320, 180, { encoder: 'h264_qsv' })] })
	const result = await runVideo(spec, taskContext(await make(item), folder.path))
	expect(result.rungs[0]?.encoder).toBe('libx264')
	expect(result.notes[0]).toMatch('libx264, because h264_qsv does not work on this machine')
	const proved = { encoders: ['libx265'], decoders: [], devices: {} }
	const unsupported = runVideo(spec, taskContext(await make(item), folder.path, { proved }))
	await expect(unsupported).rejects.toThrow('this machine has no encoder for h264')
})

test('encoded colors are tagged as in the source or as converted', async () => {
	for (const [name, expected] of [
		['hdr', 'bt709,bt709,bt709'],
		['pal-25', 'smpte170m,smpte170m,smpte170m'],
	] as const) {
		const item = named(name)
		const { files } = await encodeChunks([videoSpec(item.video)], await make(item), folder.path)
		const { stderr } = await examine(
			['-loglevel', 'info', '-i', files[0] ?? '', '-f', 'null', '-'],
			folder.path,
		)
		const [space, primaries, transfer] = expected.split(',')
		const tags = new RegExp(`yuv420p\\(tv, ${space}(/${primaries}/${transfer})?, progressive\\)`)
		expect(stderr).toMatch(tags)
	}
})
