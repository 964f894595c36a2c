import { expect, test } from 'vitest'
import type { AudioInfo, VideoInfo } from '#schema/contract/video/media-info.ts'
import { parseQuality } from '#schema/contract/video/quality.ts'
import { TaskSpec, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import {
	type PlannedTask,
	planJob,
	UnplayableError,
} from '../../../../../edge/video/transcoding/plan/plan.ts'
import { findAdditionalCodec } from '../../../../../edge/video/transcoding/plan/ranks.ts'
import { describeOptions, describeSource } from '../../../../support/shared/described-source.ts'

const options = describeOptions()

function specsOf<K extends TaskSpec['kind']>(tasks: PlannedTask[], kind: K): TaskSpecByKind<K>[] {
	return tasks.flatMap(({ spec }) => (spec.kind === kind ? [spec as TaskSpecByKind<K>] : []))
}

const times = <T>(count: number, make: (k: number) => T) => Array.from({ length: count }, (_, k) => make(k))

const inOrder = (tasks: PlannedTask[]) =>
	tasks.toSorted((a, b) => a.rank - b.rank).map(({ spec, index }) => `${spec.kind} ${index}`)

test('a standard source is copied as the top rung, and the other rungs are cut at its keyframes', () => {
	const keyframes = Array.from({ length: 13 }, (_, k) => k * 144)
	const info = describeSource(60, { keyframes, longestGopSec: 4.8 })
	const { plan, tasks } = planJob(info, options)
	const [remux] = specsOf(tasks, 'remux')
	const videos = specsOf(tasks, 'video')
	expect(plan.nonStandardReasons).toEqual([])
	expect(remux).toMatchObject({ rung: 'h264-1080p', cuts: keyframes })
	expect(videos.flatMap(({ cuts }) => cuts)).toEqual(keyframes)
	expect(videos[0]?.rungs.map(({ id }) => id)).toEqual(['h264-720p', 'h264-480p', 'h264-360p', 'h264-240p'])
	expect(plan.rungs.map(({ id, copied }) => [id, copied])).toEqual([
		['h264-1080p', true],
		['h264-720p', false],
		['h264-480p', false],
		['h264-360p', false],
		['h264-240p', false],
	])
	expect(inOrder(tasks)).toEqual([
		'remux 0',
		'audio 0',
		'audio 1',
		'stills 0',
		...times(6, (k) => `video ${k}`),
	])
})

test('a source that is not standard is encoded in all rungs with even cuts, and the plan lists the reasons', () => {
	const { plan, tasks } = planJob(
		describeSource(60, { codec: 'hevc', frameRate: { num: 30_000, den: 1_001 } }),
		options,
	)
	expect(plan.nonStandardReasons).toEqual(['video_codec'])
	expect(specsOf(tasks, 'remux')).toEqual([])
	const videos = specsOf(tasks, 'video')
	expect(videos.map(({ firstFrame, frames, firstSegment }) => [firstFrame, frames, firstSegment])).toEqual([
		[0, 480, 0],
		[480, 360, 4],
		[840, 240, 7],
		[1_080, 240, 9],
		[1_320, 240, 11],
		[1_560, null, 13],
	])
	expect(plan.starts).toEqual(
		videos.map(({ firstFrame, firstSegment }) => ({ frame: firstFrame, segment: firstSegment })),
	)
	expect(videos[0]?.rungs.map(({ id }) => id)[0]).toBe('h264-1080p')
	expect(inOrder(tasks)).toEqual(['audio 0', ...times(6, (k) => `video ${k}`), 'audio 1', 'stills 0'])
})

test('every task spec matches the contract, and none includes the list of keyframes', () => {
	const sources = [
		describeSource(60),
		describeSource(0.5),
		describeSource(43_000, { codec: 'vp9', longestGopSec: 43_000 }),
		describeSource(60, null),
		describeSource(60, { isHdr: true, bitDepth: 10, isInterlaced: true }, []),
		describeSource(10, { displayWidth: 426, displayHeight: 240, bitrateKbps: 300 }),
		describeSource(10, { displayWidth: 7_680, displayHeight: 4_320, frameRate: { num: 120, den: 1 } }),
	]
	const all = describeOptions({
		codecs: ['h264', 'hevc', 'av1'],
		encoders: { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' },
	})
	for (const source of sources)
		for (const each of [options, all])
			for (const { spec } of planJob(source, each).tasks) {
				expect(TaskSpec.parse(JSON.parse(JSON.stringify(spec)))).toEqual(spec)
				if ('video' in spec && typeof spec.video === 'object' && 'codec' in spec.video)
					expect(spec.video.keyframes).toBeNull()
			}
})

test('every task that decodes video includes deinterlacing and tone mapping if needed', () => {
	const { tasks } = planJob(describeSource(60, { isInterlaced: true, isHdr: true }), options)
	const prepare = { deinterlace: true, toneMap: true }
	for (const spec of [...specsOf(tasks, 'video'), ...specsOf(tasks, 'stills')])
		expect(spec.prepare).toEqual(prepare)
})

test('additional codecs get separate tasks at the end if a machine can make them', () => {
	const codecs = ['h264', 'hevc', 'av1'] as const
	const encoders = { h264: 'libx264', hevc: 'hevc_nvenc' }
	const { plan, tasks } = planJob(describeSource(60), describeOptions({ codecs: [...codecs], encoders }))
	expect(plan.rungs.map(({ id }) => id)).toEqual([
		...['h264-1080p', 'h264-720p', 'h264-480p', 'h264-360p', 'h264-240p'],
		...['hevc-1080p', 'hevc-720p', 'hevc-480p', 'hevc-360p'],
	])
	const videos = specsOf(tasks, 'video')
	expect(videos).toHaveLength(2 * plan.chunks)
	// The 1080p rung of H.264 is copied.
	for (const { rungs } of videos.slice(0, plan.chunks))
		expect(rungs.map(({ id }) => id)).toEqual(['h264-720p', 'h264-480p', 'h264-360p', 'h264-240p'])
	for (const [k, { rungs, storyboard, cuts }] of videos.slice(plan.chunks).entries()) {
		expect(rungs.map(({ id, encoder }) => [id, encoder])[0]).toEqual(['hevc-1080p', 'hevc_nvenc'])
		expect(rungs.every(({ codec }) => codec === 'hevc')).toBe(true)
		expect(storyboard).toBeNull()
		expect(cuts).toEqual(videos[k]?.cuts)
	}
	const order = tasks.toSorted((a, b) => a.rank - b.rank)
	expect(order.slice(-plan.chunks).map(({ index }) => index)).toEqual([6, 7, 8, 9, 10, 11])
	expect(order.map(findAdditionalCodec)).toEqual([
		...Array.from({ length: order.length - plan.chunks }, () => null),
		...Array.from({ length: plan.chunks }, () => 'hevc'),
	])
})

test('stills of an all-copied H.264 ladder do not depend on other codecs', () => {
	const info = describeSource(60, { displayWidth: 640, displayHeight: 360, bitrateKbps: 500 })
	const only = planJob(info, options)
	const both = planJob(
		info,
		describeOptions({ codecs: ['h264', 'av1'], encoders: { h264: 'libx264', av1: 'libsvtav1' } }),
	)
	expect(specsOf(both.tasks, 'stills')).toEqual(specsOf(only.tasks, 'stills'))
	expect(both.plan.rungs.map(({ id }) => id)).toEqual(['h264-360p', 'h264-240p', 'av1-360p'])
})

test.each<[what: string, video: Partial<VideoInfo>, lines: number[]]>([
	['fewer than 360 lines', { displayWidth: 638, displayHeight: 358 }, []],
	['1440 lines', { displayWidth: 2560, displayHeight: 1440 }, [1440, 1080, 720, 480, 360]],
	['portrait', { displayWidth: 720, displayHeight: 1280 }, [720, 480, 360]],
	['more than level 5.1 allows', { displayWidth: 4_400, displayHeight: 2_100 }, [1440, 1080, 720, 480, 360]],
	[
		'4096 × 2160 at 60 frames per second',
		{ displayWidth: 4_096, displayHeight: 2_160, frameRate: { num: 60, den: 1 } },
		[2160, 1440, 1080, 720, 480, 360],
	],
])('a source of %s gets the additional codecs that save bits and can be decoded', (_, video, lines) => {
	const encoders = { h264: 'libx264', av1: 'libsvtav1' }
	const { plan } = planJob(describeSource(60, video), describeOptions({ codecs: ['h264', 'av1'], encoders }))
	const rungs = plan.rungs.filter(({ codec }) => codec === 'av1')
	// Without frame rates, so that a quality for fast sources may become real.
	expect(rungs.map(({ quality }) => parseQuality(quality)?.lines)).toEqual(lines)
})

test('H.264 is always planned', () => {
	const only = describeOptions({ codecs: ['hevc'], encoders: { hevc: 'libx265' } })
	const { plan } = planJob(describeSource(60, { codec: 'vp9' }), only)
	expect(plan.rungs[0]?.id).toBe('h264-1080p')
})

test('storyboard sheets come from the chunks, or from the stills task if there are no chunks', () => {
	const chunked = planJob(describeSource(60), options)
	expect(chunked.plan.storyboard).toEqual({ everyFrames: 30, tileWidth: 256, tileHeight: 144, columns: 10 })
	for (const { storyboard } of specsOf(chunked.tasks, 'video'))
		expect(storyboard).toEqual(chunked.plan.storyboard)
	expect(specsOf(chunked.tasks, 'stills')[0]?.storyboard).toBeNull()

	const small = planJob(
		describeSource(60, { displayWidth: 320, displayHeight: 240, bitrateKbps: 300 }),
		options,
	)
	expect(small.plan).toMatchObject({ chunks: 0, starts: [] })
	expect(specsOf(small.tasks, 'video')).toEqual([])
	expect(specsOf(small.tasks, 'stills')[0]?.storyboard).toMatchObject({ tilesPerSheet: 100, frames: 1_800 })
})

test.each<[seconds: number, everyFrames: number]>([
	[1, 3],
	[10, 30],
	[60, 30],
	[600, 150],
	[1_200, 300],
	[36_000, 300],
])('the storyboard tiles of %d s are %d frames apart', (seconds, everyFrames) => {
	expect(planJob(describeSource(seconds), options).plan.storyboard?.everyFrames).toBe(everyFrames)
})

test.each<[width: number, height: number, tile: string]>([
	[1920, 1080, '256x144'],
	[1440, 1080, '256x192'],
	[1080, 1920, '144x256'],
	[1080, 1080, '256x256'],
	[320, 240, '256x192'],
	[200, 100, '200x100'],
])('the storyboard tiles of a %dx%d source are %s, never larger than the source', (width, height, tile) => {
	const { plan } = planJob(describeSource(60, { displayWidth: width, displayHeight: height }), options)
	expect(`${plan.storyboard?.tileWidth}x${plan.storyboard?.tileHeight}`).toBe(tile)
})

test.each<[what: string, displayWidth: number, displayHeight: number]>([
	['taller', 1_080, 1_920],
	['larger', 1_920, 1_080],
	['larger', 1_080, 1_080],
])('no storyboard sheet is %s than browsers support, even for a very long chunk of %dx%d', (_, ...size) => {
	const [displayWidth, displayHeight] = size
	const video = { displayWidth, displayHeight, codec: 'vp9', longestGopSec: 30_000 }
	const { plan, tasks } = planJob(describeSource(12_000, video), options)
	expect(specsOf(tasks, 'video')).toHaveLength(1)
	const { everyFrames = 1, tileWidth = 1, tileHeight = 1, columns = 1 } = plan.storyboard ?? {}
	const rows = Math.ceil((12_000 * 30) / everyFrames / columns)
	expect(rows * tileHeight).toBeLessThanOrEqual(16_000)
	expect(rows * tileHeight * columns * tileWidth).toBeLessThanOrEqual(32_000_000)
	// Most of what is allowed is used.
	expect(rows * tileHeight > 15_000 || rows * tileHeight * columns * tileWidth > 30_000_000).toBe(true)
})

test.each<[width: number, height: number, poster: string, preview: string]>([
	[1920, 1080, '1280x720', '320x180'],
	[1080, 1920, '720x1280', '180x320'],
	[200, 100, '200x100', '200x100'],
])(
	'a video of %dx%d has a poster of %s and a preview of %s',
	(displayWidth, displayHeight, poster, preview) => {
		const { tasks } = planJob(describeSource(60, { displayWidth, displayHeight }), options)
		const [stills] = specsOf(tasks, 'stills')
		const show = (size?: { width: number; height: number }) => `${size?.width}x${size?.height}`
		expect([show(stills?.poster), show(stills?.preview)]).toEqual([poster, preview])
	},
)

test('audio has the duration and the segment length of the video', () => {
	const { tasks } = planJob(describeSource(60, { frameRate: { num: 30_000, den: 1_001 } }), options)
	const [audio] = specsOf(tasks, 'audio')
	expect(audio?.segment).toEqual({ num: 1_001, den: 250 })
	expect(audio?.durationSec).toBeCloseTo((1_798 * 1_001) / 30_000, 9)
	expect(audio?.tracks[0]).toMatchObject({ id: 'a0', channels: 2, sampleRate: 48_000, bitrateKbps: 128 })
})

test('an audio-only source is planned without video, with its own duration', () => {
	const { plan, tasks } = planJob(describeSource(90, null), options)
	expect(plan).toMatchObject({ fps: null, rungs: [], chunks: 0, storyboard: null, durationSec: 90 })
	expect(inOrder(tasks)).toEqual(['audio 0', 'audio 1'])
	expect(specsOf(tasks, 'audio')[0]).toMatchObject({ durationSec: null, segment: { num: 4, den: 1 } })
})

test('peaks of audio without video are measured by the task that decodes the default track', () => {
	const counts = (info: ReturnType<typeof describeSource>) =>
		specsOf(planJob(info, options).tasks, 'audio').map(({ filesOnly, peaks }) => [filesOnly, peaks])
	expect(counts(describeSource(60, null))).toEqual([
		[false, undefined],
		[true, 400],
	])
	expect(counts(describeSource(60, null, [{ codec: 'mp3' }]))).toEqual([[false, 400]])
	expect(counts(describeSource(60)).every(([, peaks]) => peaks === undefined)).toBe(true)
})

test('stereo AAC is copied, and a separate audio task makes its files', () => {
	const [copies, files, ...others] = specsOf(planJob(describeSource(60), options).tasks, 'audio')
	expect(copies).toMatchObject({ playback: options.playback, ai: null, filesOnly: false })
	expect(copies?.tracks).toMatchObject([{ id: 'a0', isCopied: true }])
	expect(files).toMatchObject({ playback: null, ai: options.ai, filesOnly: true })
	expect(others).toEqual([])

	const louder = describeOptions({ playback: { ...options.playback, normalize: true } })
	const [plain, both] = specsOf(planJob(describeSource(60), louder).tasks, 'audio')
	expect([plain?.playback, both?.playback, both?.ai]).toEqual([null, louder.playback, louder.ai])
})

test.each<[what: string, audio: Partial<AudioInfo>, isCopied: boolean]>([
	['of 44.1 kHz', { sampleRate: 44_100 }, true],
	['with encoder delay', { startSec: -0.044, durationSec: 60.05 }, true],
	['that ends one audio frame before the video', { durationSec: 59.98 }, true],
	['that ends before the video', { durationSec: 59.9 }, false],
	['that starts after the video', { startSec: 0.1 }, false],
	['of a high bit rate', { bitrateKbps: 192 }, false],
	['of unknown bit rate', { bitrateKbps: null }, false],
	['of another profile', { profile: 'HE-AAC' }, false],
	['of another codec', { codec: 'ac3', profile: null }, false],
	['of one channel', { channels: 1 }, false],
	['of six channels', { channels: 6 }, false],
	['of another sample rate', { sampleRate: 32_000 }, false],
	['in a container without an index', { clockSec: 1.4 }, false],
])('an audio track %s with %j is copied: %j', (_, audio, isCopied) => {
	const specs = specsOf(planJob(describeSource(60, {}, [audio]), options).tasks, 'audio')
	expect(specs[0]?.tracks[0]?.isCopied).toBe(isCopied)
	expect(specs).toHaveLength(isCopied ? 2 : 1)
	expect(specs.filter(({ ai }) => ai !== null)).toHaveLength(1)
	expect(specs.filter(({ playback }) => playback !== null)).toHaveLength(1)
})

test('a silent video has no audio task', () => {
	const { plan, tasks } = planJob(describeSource(60, {}, []), options)
	expect(plan.audioTracks).toEqual([])
	expect(specsOf(tasks, 'audio')).toEqual([])
})

test('audio tracks have distinct names, BCP 47 languages and one default', () => {
	const tracks = [
		{ language: 'eng', isDefault: false },
		{ language: 'ger', title: 'Director’s "cut"\n\u2028', isDefault: true },
		{ language: 'eng', isDefault: true },
		{ language: null, sampleRate: 44_100 },
		{ language: 'und', title: 'English' },
		{ language: 'qqq' },
	]
	const { plan, tasks } = planJob(describeSource(60, {}, tracks), options)
	expect(plan.audioTracks).toEqual([
		{ id: 'a0', language: 'en', title: 'English', isDefault: false },
		{ id: 'a1', language: 'de', title: 'Director’s ”cut”', isDefault: true },
		{ id: 'a2', language: 'en', title: 'English 2', isDefault: false },
		{ id: 'a3', language: null, title: 'Audio 4', isDefault: false },
		{ id: 'a4', language: null, title: 'English 3', isDefault: false },
		{ id: 'a5', language: 'qqq', title: 'qqq', isDefault: false },
	])
	const sources = specsOf(tasks, 'audio')[0]?.tracks ?? []
	expect(sources.map(({ id, source, sampleRate }) => [id, source.streamIndex, sampleRate])).toEqual([
		...[
			['a0', 1, 48_000],
			['a1', 2, 48_000],
			['a2', 3, 48_000],
		],
		...[
			['a3', 4, 44_100],
			['a4', 5, 48_000],
			['a5', 6, 48_000],
		],
	])
})

test('the only audio track is named Audio if it has no title and no known language', () => {
	const { plan } = planJob(describeSource(60, {}, [{ language: 'und' }]), options)
	expect(plan.audioTracks).toEqual([{ id: 'a0', language: null, title: 'Audio', isDefault: true }])
})

test('an audio track of zero duration is omitted', () => {
	const { plan } = planJob(describeSource(60, {}, [{ durationSec: 0 }, {}]), options)
	expect(plan.audioTracks).toHaveLength(1)
})

test.each<[string, ReturnType<typeof describeSource>, RegExp]>([
	['no streams', describeSource(60, null, []), /no playable video or audio/],
	['no duration', { ...describeSource(60), durationSec: 0 }, /duration is 0 seconds/],
	['video of no duration', describeSource(60, { durationSec: 0 }), /duration is 0 seconds/],
	['audio of no duration', describeSource(60, null, [{ durationSec: 0 }]), /neither|0 seconds/],
	['13 hours', describeSource(13 * 3_600), /13\.0 hours long; the limit is 12\.0 hours/],
	[
		'a huge frame size',
		describeSource(60, { codedWidth: 8_192, codedHeight: 8_192 }),
		/8192 × 8192; the limit is 8192 × 4320/,
	],
])('a source with %s is rejected with a message', (_, info, message) => {
	expect(() => planJob(info, options)).toThrow(UnplayableError)
	expect(() => planJob(info, options)).toThrow(message)
})
