/** @module-tag ffmpeg */

import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { runFfmpeg } from '../../../transcoder-daemon/ffmpeg/run.ts'
import {
	type Fragment,
	type Init,
	joinFragments,
	readFragments,
} from '../../../transcoder-daemon/mp4/segments.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'

const FRAGMENTED = '+frag_keyframe+empty_moov+default_base_moof+frag_discont+skip_trailer'
const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=25:duration=4']
const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=2']

/** Returns what ffmpeg writes to a pipe. */
async function make(args: readonly string[], movflags = FRAGMENTED): Promise<Buffer> {
	await using folder = await temporaryFolder()
	const { value } = await runFfmpeg(
		{
			programs,
			args: [...args, '-movflags', movflags, '-f', 'mp4', 'pipe:3'],
			access: { workDir: folder.path, readable: [] },
			signal: new AbortController().signal,
			timeoutMs: 60_000,
			pipes: 1,
		},
		async ([pipe]) => Buffer.concat((await pipe?.toArray()) ?? []),
	)
	return value
}

async function read(chunks: Iterable<Buffer>): Promise<{ init: Init; fragments: Fragment[] }> {
	let init: Init | undefined
	const fragments: Fragment[] = []
	for await (const part of readFragments(Readable.from(chunks, { objectMode: false })))
		if (part.kind === 'init') init = part
		else fragments.push(part)
	if (!init) throw new Error('no init')
	return { init, fragments }
}

function* slices(bytes: Buffer, size: number) {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-profile:v', 'high']
const grid = [
	...x264,
	'-g',
	'25',
	'-keyint_min',
	'25',
	'-sc_threshold',
	'0',
	'-video_track_timescale',
	'90000',
]

test('the MP4 reader reads sample counts, times and the end of the first frame of video fragments', async () => {
	const bytes = await make([...picture, ...grid])
	const { init, fragments } = await read([bytes])
	expect(init).toMatchObject({ codecs: expect.stringMatching(/^avc1\.6400[0-9a-f]{2}$/), timescale: 90_000 })
	expect(init.sha256).toMatch(/^[0-9a-f]{64}$/)
	expect(fragments.map(({ samples, isKey }) => [samples, isKey])).toEqual(Array(4).fill([25, true]))
	expect(fragments.map(({ durationTicks }) => durationTicks)).toEqual(Array(4).fill(90_000))
	const starts = fragments.map(({ baseTime }) => baseTime)
	expect(starts.map((start) => start - (starts[0] ?? 0))).toEqual([0, 90_000, 180_000, 270_000])
	for (const fragment of fragments) {
		expect(fragment.keyBytes).toBeLessThan(fragment.bytes.length)
		// The first frame alone can be shown, for trick play.
		const { fragments: key } = await read([bytes])
		expect(key[0]?.keyBytes).toBe(fragments[0]?.keyBytes)
	}
	expect(Buffer.concat([init.bytes, ...fragments.map((fragment) => fragment.bytes)])).toEqual(bytes)
})

test('the MP4 reader reads the same fragments whatever the chunk sizes', async () => {
	const bytes = await make([...picture, ...grid])
	const whole = await read([bytes])
	for (const size of [1, 7, 4_096]) expect(await read(slices(bytes, size))).toEqual(whole)
})

test('the MP4 reader throws when the stream ends inside a box, at any position', async () => {
	const bytes = await make([...picture, ...grid])
	for (const at of [0, 3, 100, 2_000, bytes.length - 1])
		await expect(read([bytes.subarray(0, at)])).rejects.toThrow()
})

test('the MP4 reader throws on data that is not MP4, without allocating its claimed size', async () => {
	await expect(read([Buffer.alloc(1_000, 0xff)])).rejects.toThrow(
		'a box has the invalid size of 4294967295 bytes',
	)
	await expect(read([Buffer.alloc(1_000)])).rejects.toThrow('a box has the invalid size of 0 bytes')
})

test('the MP4 reader joins fragments into one segment', async () => {
	const { fragments } = await read([
		await make([...picture, ...grid, '-frag_duration', '200000'], `${FRAGMENTED}`),
	])
	expect(fragments.length).toBeGreaterThan(4)
	const joined = joinFragments(fragments)
	expect(joined).toMatchObject({ samples: 100, durationTicks: 360_000, isKey: true })
	expect(joined.keyBytes).toBe(fragments[0]?.keyBytes)
})

test.each([
	[
		'avc1.42c0',
		[...picture, '-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-profile:v', 'baseline'],
	],
	[
		'hvc1.1.6.L',
		[
			...picture,
			'-c:v',
			'libx265',
			'-preset',
			'ultrafast',
			'-pix_fmt',
			'yuv420p',
			'-tag:v',
			'hvc1',
			'-x265-params',
			'log-level=none',
		],
	],
	['av01.0.', [...picture, '-c:v', 'libsvtav1', '-preset', '12', '-pix_fmt', 'yuv420p']],
	['mp4a.40.2', [...sound, '-c:a', 'aac']],
	['opus', [...sound, '-c:a', 'libopus', '-strict', '-2']],
	['fLaC', [...sound, '-c:a', 'flac', '-strict', '-2']],
])('the MP4 reader reads the CODECS value %s', async (codecs, args) => {
	const { init } = await read([await make(args)])
	expect(init.codecs.slice(0, codecs.length)).toBe(codecs)
})

test('the MP4 reader counts access units of audio', async () => {
	const { init, fragments } = await read([await make([...sound, '-c:a', 'aac', '-frag_duration', '500000'])])
	expect(init.timescale).toBe(48_000)
	const units = fragments.reduce((sum, { samples }) => sum + samples, 0)
	// The encoder's priming adds one unit before the audio.
	expect(units).toBe(Math.ceil((2 * 48_000) / 1_024) + 1)
})
