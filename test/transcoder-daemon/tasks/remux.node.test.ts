/** @module-tag ffmpeg */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import { TaskResult, type TaskResultByKind } from '#schema/contract/video/tasks.ts'
import { chooseVideoTimescale } from '../../../transcoder-daemon/ffmpeg/video-args.ts'
import { runInspect } from '../../../transcoder-daemon/tasks/inspect.ts'
import { runRemux } from '../../../transcoder-daemon/tasks/remux.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { makeVideo } from './make-video.ts'
import { MemoryOutputs, taskContext } from './task-context.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

const closed = [
	'-c:v',
	'libx264',
	'-x264-params',
	'keyint=25:min-keyint=10:scenecut=0:open-gop=0:bframes=3:b-pyramid=normal',
]

async function videoOf(path: string): Promise<VideoInfo> {
	const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 600 }, taskContext(path, folder.path))
	if (!info.video) throw new Error('no video')
	return info.video
}

type Copied = {
	rung: TaskResultByKind<'remux'>['rung']
	video: VideoInfo
	cuts: number[]
	joinedPath: string
	stored: Map<string, Buffer>
}

async function copy(path: string, chooseCuts = (keyframes: number[]) => keyframes): Promise<Copied> {
	const video = await videoOf(path)
	const cuts = chooseCuts(video.keyframes ?? [])
	const outputs = new MemoryOutputs()
	const context = taskContext(path, folder.path, { outputs })
	const spec = { kind: 'remux' as const, video, rung: 'h264-180p', fps: video.frameRate, cuts }
	const result = await runRemux(spec, context)
	expect(TaskResult.parse(result)).toEqual(result)
	const joinedPath = `${path}.joined.mp4`
	await writeFile(joinedPath, Buffer.concat([...outputs.stored.values()]))
	return { rung: result.rung, video, cuts, joinedPath, stored: outputs.stored }
}

type PacketTimes = { pts: number; dts: number; flags: string }

async function packetsOf(path: string): Promise<PacketTimes[]> {
	const entries = 'packet=pts,dts,flags'
	const { stdout } = await execa(programs.ffprobe, [
		...['-loglevel', 'error', '-select_streams', 'v', '-show_entries', entries, '-of', 'json', path],
	])
	return JSON.parse(stdout).packets
}

async function pictureHashes(path: string): Promise<string[]> {
	const { stdout } = await execa(programs.ffmpeg, [
		...['-loglevel', 'error', '-i', path, '-map', '0:v', '-vsync', '0', '-f', 'framemd5', '-'],
	])
	return stdout.split('\n').flatMap((line) => (line.startsWith('#') ? [] : (line.split(',').at(-1) ?? '')))
}

const sources = [
	{ name: 'plain.mp4', rate: '30' },
	{ name: 'film.mkv', rate: '24000/1001' },
	{ name: 'ntsc.ts', rate: '30000/1001', sound: false },
	{ name: 'sport.mov', rate: '60000/1001' },
	{ name: 'flash.flv', rate: '25', sound: false },
	{ name: 'fragments.mp4', rate: '25', sound: false, args: ['-movflags', 'frag_keyframe+empty_moov'] },
]

test.each(sources)(
	'remux cuts $name at its key frames on the grid, with every frame once',
	async (source) => {
		const path = await makeVideo(folder.path, {
			...source,
			seconds: 5,
			args: [...closed, ...(source.args ?? [])],
		})
		const { rung, video, cuts, joinedPath } = await copy(path)
		const { num, den } = video.frameRate
		const timescale = chooseVideoTimescale(video.frameRate)
		const frames = video.frameCount ?? 0
		expect(rung).toMatchObject({
			encoder: 'copy',
			width: 320,
			height: 180,
			codecs: expect.stringMatching(/^avc1\.[0-9a-f]{6}$/),
		})
		expect(rung.segments.map((segment) => segment.frames)).toEqual(
			cuts.map((cut, number) => (cuts[number + 1] ?? frames) - cut),
		)
		const packets = await packetsOf(joinedPath)
		const grid = Array.from({ length: frames }, (_, frame) => timescale + (frame * timescale * den) / num)
		expect(packets.map(({ pts }) => pts).sort((a, b) => a - b)).toEqual(grid)
		// Decode times are evenly spaced, across segments too.
		const steps = packets.slice(1).map(({ dts }, at) => dts - (packets[at]?.dts ?? 0))
		expect(new Set(steps)).toEqual(new Set([(timescale * den) / num]))
		expect(await pictureHashes(joinedPath)).toEqual(await pictureHashes(path))
	},
)

test('remux writes each segment as one fragment, even with several groups of pictures', async () => {
	const path = await makeVideo(folder.path, { name: 'longer.mp4', seconds: 8, args: closed })
	const { rung, joinedPath } = await copy(path, (keyframes) =>
		keyframes.filter((_, index) => index % 2 === 0),
	)
	expect(rung.segments.length).toBeGreaterThan(1)
	const bytes = await readFile(joinedPath)
	expect(bytes.toString('latin1').split('moof')).toHaveLength(rung.segments.length + 1)
	expect(await pictureHashes(joinedPath)).toEqual(await pictureHashes(path))
})

test('remux puts the first frame of a segment into its key range for trick play', async () => {
	const path = await makeVideo(folder.path, { name: 'trick.mp4', seconds: 4, args: closed })
	const { rung, stored } = await copy(path)
	const init = stored.get('h264-180p/init.mp4') ?? Buffer.alloc(0)
	expect(rung.init.bytes).toBe(init.length)
	for (const [number, { keyBytes }] of rung.segments.entries()) {
		const segment = stored.get(`h264-180p/${number}.m4s`) ?? Buffer.alloc(0)
		const first = join(folder.path, `first-${number}.mp4`)
		await writeFile(first, Buffer.concat([init, segment.subarray(0, keyBytes)]))
		expect((await pictureHashes(first)).length).toBe(1)
	}
})

test('remux fails at a boundary without a key frame instead of cutting elsewhere', async () => {
	const path = await makeVideo(folder.path, { name: 'wrong.mp4', seconds: 4, args: closed })
	await expect(copy(path, () => [0, 40])).rejects.toMatchObject({
		detail: expect.stringContaining('frame 40'),
	})
	await expect(copy(path, () => [0, 50, 100, 4_000])).rejects.toMatchObject({
		detail: expect.stringContaining('instead of'),
	})
})
