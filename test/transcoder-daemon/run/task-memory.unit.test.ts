import { expect, test } from 'vitest'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import type { TaskSpec, TaskSpecByKind, VideoCodec } from '#schema/contract/video/tasks.ts'
import { planJob } from '../../../edge/video/transcoding/plan/plan.ts'
import { estimateMemory } from '../../../transcoder-daemon/run/task-memory.ts'
import { describeOptions, describeSource } from '../../support/shared/described-source.ts'

const MIB = 1024 ** 2
const encoders = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' }
const options = describeOptions({ codecs: ['h264', 'hevc', 'av1'], encoders })

type Source = { lines: 1080 | 2160; codec: string; bitDepth?: 10; fps?: 60 }

/** Returns the tasks of a source that is encoded in all rungs, like the measured ones. */
function tasksOf({ lines, codec, bitDepth, fps = 60 }: Source): TaskSpec[] {
	const size = { displayWidth: (lines * 16) / 9, displayHeight: lines }
	const different: Partial<VideoInfo> = { codec, longestGopSec: 9, ...size, frameRate: { num: fps, den: 1 } }
	const deep = bitDepth === 10 ? { bitDepth, pixelFormat: 'yuv420p10le' } : {}
	return planJob(describeSource(60, { ...different, ...deep }), options).tasks.map(({ spec }) => spec)
}

const chunkOf = (source: Source, ladder: VideoCodec): TaskSpecByKind<'video'> =>
	tasksOf(source).find(
		(spec) => spec.kind === 'video' && spec.rungs[0]?.codec === ladder,
	) as TaskSpecByKind<'video'>
const stillsOf = (source: Source) => tasksOf(source).find(({ kind }) => kind === 'stills') as TaskSpec

/** Largest resident set of ffmpeg 5.1 in MiB for chunks of 2.5 s; `threads` of the decoder and of each encoder. */
const chunks: [Source, ladder: VideoCodec, threads: number, measured: number][] = [
	[{ lines: 1080, codec: 'h264' }, 'h264', 2, 755],
	[{ lines: 1080, codec: 'h264' }, 'hevc', 2, 773],
	[{ lines: 1080, codec: 'h264' }, 'av1', 2, 996],
	[{ lines: 1080, codec: 'hevc' }, 'h264', 2, 755],
	[{ lines: 1080, codec: 'av1' }, 'h264', 2, 773],
	[{ lines: 2160, codec: 'h264' }, 'h264', 2, 2_695],
	[{ lines: 2160, codec: 'h264' }, 'hevc', 2, 2_686],
	[{ lines: 2160, codec: 'hevc' }, 'h264', 2, 2_719],
	[{ lines: 2160, codec: 'hevc', bitDepth: 10 }, 'h264', 2, 2_817],
	[{ lines: 2160, codec: 'av1' }, 'h264', 2, 2_785],
	[{ lines: 2160, codec: 'av1', bitDepth: 10, fps: 60 }, 'h264', 2, 2_967],
	[{ lines: 1080, codec: 'h264' }, 'h264', 8, 1_133],
	[{ lines: 1080, codec: 'h264' }, 'hevc', 8, 1_101],
	[{ lines: 1080, codec: 'h264' }, 'av1', 8, 1_040],
]

test.each(chunks)(
	'the memory of a chunk of %j in %s on %d threads is estimated, measured at %d MiB',
	(source, ladder, threads, measured) => {
		const estimate = estimateMemory(chunkOf(source, ladder), { threads, cores: threads }) / MIB
		expect(estimate / measured).toBeGreaterThan(1)
		expect(estimate / measured).toBeLessThan(2)
	},
)

const stills: [Source, measured: number][] = [
	[{ lines: 1080, codec: 'h264' }, 345],
	[{ lines: 2160, codec: 'h264' }, 1_036],
	[{ lines: 2160, codec: 'hevc' }, 1_086],
	[{ lines: 2160, codec: 'av1', bitDepth: 10, fps: 60 }, 2_360],
]

test.each(stills)(
	'the memory of stills of %j on two cores is estimated, measured at %d MiB',
	(source, measured) => {
		const estimate = estimateMemory(stillsOf(source), { threads: 2, cores: 2 }) / MIB
		expect(estimate / measured).toBeGreaterThan(1)
		expect(estimate / measured).toBeLessThan(2)
	},
)

test('the estimated memory grows with pixels, bits, colors, threads, tone mapping and deinterlacing', () => {
	const chunk = chunkOf({ lines: 1080, codec: 'h264' }, 'h264')
	const of = (video: Partial<VideoInfo>, prepare = chunk.prepare, threads = 2) =>
		estimateMemory({ ...chunk, prepare, video: { ...chunk.video, ...video } }, { threads, cores: 2 })
	const least = of({})
	for (const more of [
		of({ codedWidth: 3_840 }),
		of({ bitDepth: 10 }),
		of({ chroma: '4:4:4' }),
		of({ codec: 'vp9' }),
		of({}, { deinterlace: true, toneMap: false }),
		of({}, { deinterlace: false, toneMap: true }),
		of({}, chunk.prepare, 8),
	])
		expect(more).toBeGreaterThan(least)
})

test('the estimated memory is that of the program for tasks without video encoding', () => {
	const [sound] = tasksOf({ lines: 2160, codec: 'h264' }).filter(({ kind }) => kind === 'audio')
	expect(estimateMemory(sound as TaskSpec, { threads: 8, cores: 64 })).toBeLessThan(256 * MIB)
})

test('the memory of a 1080p clip is estimated, measured at 521 MiB, and less for sound alone', () => {
	const { fps, rungs } = chunkOf({ lines: 1080, codec: 'h264' }, 'h264')
	const clip: TaskSpec = { kind: 'clip', rung: null, fps, firstFrame: 0, frames: 240, video: [], audio: [] }
	const threads = { threads: 2, cores: 2 }
	const estimate = estimateMemory({ ...clip, rung: rungs[0] ?? null }, threads) / MIB
	expect(estimate / 521).toBeGreaterThan(1)
	expect(estimate / 521).toBeLessThan(2)
	expect(estimateMemory(clip, threads)).toBeLessThan(256 * MIB)
})

test('the estimated memory excludes frames in the memory of a graphics card', () => {
	const chunk = chunkOf({ lines: 1080, codec: 'h264' }, 'h264')
	const onCard = { ...chunk, rungs: chunk.rungs.map((rung) => ({ ...rung, encoder: 'h264_nvenc' })) }
	const threads = { threads: 2, cores: 2 }
	expect(estimateMemory(onCard, threads)).toBeLessThan(estimateMemory(chunk, threads) / 2)
})
