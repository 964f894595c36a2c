/** @module-tag ffmpeg */

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import type { MediaInfo } from '#schema/contract/video/media-info.ts'
import {
	type Rung,
	TaskResult,
	type TaskResultByKind,
	type TaskSpecByKind,
} from '#schema/contract/video/tasks.ts'
import { readBoxes } from '../../../../transcoder-daemon/mp4/boxes.ts'
import { runAudio } from '../../../../transcoder-daemon/tasks/audio.ts'
import { runClip } from '../../../../transcoder-daemon/tasks/clip/clip.ts'
import { runInspect } from '../../../../transcoder-daemon/tasks/inspect.ts'
import { runVideo } from '../../../../transcoder-daemon/tasks/video.ts'
import { openPlayer } from '../../../edge/watch/playback/player.node.ts'
import { chromiumPath } from '../../../support/shared/chromium.ts'
import { strip } from '../../../support/shared/frame-numbers.ts'
import { needs } from '../../../support/shared/needs.ts'
import { readNumbers, rung, videoSpec } from '../../corpus/encoded.ts'
import { programs, temporaryFolder } from '../../ffmpeg/programs.ts'
import { ffmpeg } from '../make-video.ts'
import { MemoryOutputs, taskContext } from '../task-context.ts'
import { decodeSound, tonesIn } from '../tones.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

type ClipSpec = TaskSpecByKind<'clip'>
type Source = { rate: string; seconds: number; channels?: 1 | 2; sound?: boolean; picture?: boolean }
type Presentation = {
	info: MediaInfo
	objects: Map<string, Buffer>
	rung: Rung
	/** Frames of each segment of video. */
	segmentFrames: number
	frames: number
}

const AUDIO_SEGMENT_SEC = 1

/** Makes segments of about a second with the product's own tasks. Frames have numbers; a tone begins at each full second. */
async function present({
	rate,
	seconds,
	channels = 2,
	sound = true,
	picture = true,
}: Source): Promise<Presentation> {
	const source = join(folder.path, `source-${Math.random().toString(36).slice(2)}.mkv`)
	const tone = `aevalsrc=0.5*sin(2*PI*880*t)*lt(mod(t\\,1)\\,0.1):s=48000:d=${seconds}`
	await ffmpeg(
		...(picture ? ['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=${rate}:d=${seconds}`] : []),
		...(sound ? ['-f', 'lavfi', '-i', tone] : []),
		...(picture ? ['-vf', strip.join(','), '-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '20'] : []),
		...(sound ? ['-ac', String(channels), '-c:a', 'pcm_s16le'] : []),
		source,
	)
	const outputs = new MemoryOutputs()
	const context = taskContext(source, folder.path, { outputs })
	const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 60 }, context)
	const made = { segmentFrames: 0, frames: 0, rung: rung(160, 90) }
	if (info.video) {
		const { num, den } = info.video.frameRate
		made.segmentFrames = Math.round(num / den)
		made.frames = Math.round((info.video.durationSec * num) / den)
		const count = Math.ceil(made.frames / made.segmentFrames)
		const cuts = Array.from({ length: count }, (_, index) => index * made.segmentFrames)
		await runVideo(videoSpec(info.video, { cuts, rungs: [made.rung] }), context)
	}
	const [source0] = info.audio
	if (source0) {
		const track = {
			id: 'a0',
			source: source0,
			bitrateKbps: 128,
			sampleRate: 48_000,
			channels,
			isCopied: false,
		}
		const segment = info.video
			? { num: info.video.frameRate.den * made.segmentFrames, den: info.video.frameRate.num }
			: { num: AUDIO_SEGMENT_SEC, den: 1 }
		const durationSec = info.video?.durationSec ?? null
		await runAudio(
			{ kind: 'audio', tracks: [track], segment, durationSec, playback: null, ai: null, filesOnly: false },
			context,
		)
	}
	const objects = new Map([...outputs.stored].map(([name, bytes]) => [`https://media.test/${name}`, bytes]))
	return { info, objects, ...made }
}

/** Chooses the segments as the edge does. */
function specFor(
	{ info, objects, rung, segmentFrames }: Presentation,
	firstFrame: number,
	frames: number,
): ClipSpec {
	const fps = info.video?.frameRate ?? { num: 1_000, den: 1 }
	const perSegment = info.video ? segmentFrames : AUDIO_SEGMENT_SEC * 1_000
	const urlsOf = (id: string, more: number) => {
		const last = [...objects.keys()].filter((url) => url.includes(`/${id}/`)).length - 2
		if (last < 0) return []
		const from = Math.max(0, Math.floor(firstFrame / perSegment) - more)
		const to = Math.min(last, Math.floor((firstFrame + frames - 1) / perSegment) + more)
		const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
		return ['init.mp4', ...numbers.map((number) => `${number}.m4s`)].map(
			(name) => `https://media.test/${id}/${name}`,
		)
	}
	return {
		kind: 'clip',
		rung: info.video && rung,
		fps,
		firstFrame,
		frames,
		video: urlsOf(rung.id, 0),
		audio: urlsOf('a0', 1),
	}
}

async function make(spec: ClipSpec, objects: ReadonlyMap<string, Buffer>) {
	const outputs = new MemoryOutputs()
	const fetchObject = async (url: string) => {
		const bytes = objects.get(url)
		if (!bytes) throw new Error(`no object ${url}`)
		return bytes
	}
	const result = await runClip(spec, {
		...taskContext('', folder.path, { outputs, fetchObject }),
		sourcePath: null,
	})
	const bytes = outputs.stored.get('clip.mp4') ?? Buffer.alloc(0)
	const file = join(folder.path, `clip-${Math.random().toString(36).slice(2)}.mp4`)
	await writeFile(file, bytes)
	return { result, file, bytes, poster: outputs.stored.get('poster.jpg') }
}

type Clip = Awaited<ReturnType<typeof make>>

/** Makes each presentation once. */
const presentations = new Map<string, Promise<Presentation>>()
function presentOnce(source: Source): Promise<Presentation> {
	const key = JSON.stringify(source)
	const made = presentations.get(key) ?? present(source)
	presentations.set(key, made)
	return made
}

async function makeClip(source: Source, firstFrame: number, frames: number): Promise<Clip> {
	const presentation = await presentOnce(source)
	return make(specFor(presentation, firstFrame, frames), presentation.objects)
}

type Probed = {
	streams: {
		codec_type: string
		start_time: string
		duration: string
		width?: number
		channels?: number
		has_b_frames?: number
		color_space?: string
	}[]
	packets: { codec_type: string; pos: string; size: string; flags: string }[]
}

async function probe(file: string): Promise<Probed> {
	const { stdout } = await execa(programs.ffprobe, [
		...['-loglevel', 'error', '-show_streams', '-show_packets', '-of', 'json', file],
	])
	return JSON.parse(stdout)
}

/** Returns the begin of each tone, in seconds of the clip. */
async function toneTimes(file: string, { streams }: Probed): Promise<number[]> {
	const startSec = Number(streams.find(({ codec_type }) => codec_type === 'audio')?.start_time)
	return tonesIn(await decodeSound(file, folder.path)).map((sec) => sec + startSec)
}

const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

/** The listed byte ranges are all of the file, and each begins a fragment with a key frame. */
function requireRanges(
	{ initBytes, segments }: TaskResultByKind<'clip'>,
	bytes: Buffer,
	{ packets }: Probed,
) {
	const init = [...readBoxes(bytes.subarray(0, initBytes))].map(({ type }) => type)
	expect(init).toEqual(['ftyp', 'moov'])
	let at = initBytes
	for (const segment of segments) {
		const end = at + segment.bytes
		const types = [...readBoxes(bytes.subarray(at, end))].map(({ type }) => type)
		expect(types.join()).toMatch(/^moof,mdat(,moof,mdat)*$/)
		const own = packets.filter(({ pos }) => Number(pos) >= at && Number(pos) < end)
		const lead = own.filter(({ codec_type }) => codec_type === packets[0]?.codec_type)
		expect(lead[0]?.flags).toMatch(/^K/)
		at = end
	}
	expect(at).toBe(bytes.length)
}

const ticksOf = ({ segments }: TaskResultByKind<'clip'>) =>
	segments.reduce((sum, { ticks }) => sum + ticks, 0)
const rateOf = (rate: string) => {
	const [num = 1, den = 1] = rate.split('/').map(Number)
	return { num, den }
}

const middle = [
	{ rate: '30000/1001', seconds: 5, firstFrame: 37, frames: 95, cuts: [60, 35] },
	{ rate: '25', seconds: 7, firstFrame: 30, frames: 130, cuts: [50, 50, 30] },
	{ rate: '60', seconds: 4, firstFrame: 70, frames: 150, cuts: [150] },
]

test.each(middle)(
	'a clip has exactly the frames and the sound of its part at $rate frames per second',
	async ({ rate, seconds, firstFrame, frames, cuts }) => {
		const { result, file, bytes, poster } = await makeClip({ rate, seconds }, firstFrame, frames)
		expect(TaskResult.parse(result)).toEqual(result)
		const { num, den } = rateOf(rate)
		const frameSec = den / num
		expect(await readNumbers(file, folder.path)).toEqual(range(firstFrame, frames))

		const probed = await probe(file)
		const [video, audio] = probed.streams
		expect(video).toMatchObject({
			start_time: '0.000000',
			width: 160,
			has_b_frames: 2,
			color_space: 'smpte170m',
		})
		expect(Number(video?.duration)).toBeCloseTo(frames * frameSec, 4)
		// The encoder's priming, which the edit list hides.
		expect(audio).toMatchObject({ codec_type: 'audio', channels: 2, start_time: '-0.021333' })
		const fullSeconds = range(0, seconds).map((second) => second - firstFrame * frameSec)
		const expected = fullSeconds.filter((sec) => sec > 0 && sec < frames * frameSec)
		const tones = await toneTimes(file, probed)
		expect(tones).toHaveLength(expected.length)
		for (const [index, tone] of tones.entries())
			expect(Math.abs(tone - (expected[index] ?? 0))).toBeLessThan(0.002)

		requireRanges(result, bytes, probed)
		const ticksPerFrame = Math.round(result.timescale * frameSec)
		expect(result.segments.map(({ ticks }) => ticks)).toEqual(cuts.map((count) => count * ticksPerFrame))

		expect(result.poster).toEqual({ name: 'poster.jpg', bytes: poster?.length })
		const picture = `${file}.jpg`
		await writeFile(picture, poster ?? '')
		expect(await readNumbers(picture, folder.path)).toEqual([firstFrame + Math.floor(frames / 2)])
	},
)

const short = { rate: '25', seconds: 7 }

test.each([
	{ part: 'the very beginning', firstFrame: 0, frames: 40 },
	{ part: 'the very end', firstFrame: 140, frames: 35 },
	{ part: 'a whole segment', firstFrame: 50, frames: 25 },
	{ part: 'a single frame', firstFrame: 99, frames: 1 },
])('the clip task makes a clip of $part', async ({ firstFrame, frames }) => {
	const { result, file } = await makeClip(short, firstFrame, frames)
	expect(await readNumbers(file, folder.path)).toEqual(range(firstFrame, frames))
	expect(result.segments).toHaveLength(1)
	expect(ticksOf(result) / result.timescale).toBeCloseTo(frames / 25, 5)
})

test('the clip task makes a clip of video without sound', async () => {
	const { result, file, bytes } = await makeClip({ rate: '24', seconds: 3, sound: false }, 13, 40)
	expect(await readNumbers(file, folder.path)).toEqual(range(13, 40))
	const probed = await probe(file)
	expect(probed.streams.map(({ codec_type }) => codec_type)).toEqual(['video'])
	requireRanges(result, bytes, probed)
})

test('the clip task makes a clip of sound without video, in milliseconds', async () => {
	const source = { rate: '1', seconds: 7, picture: false, channels: 1 } as const
	const { result, file, bytes, poster } = await makeClip(source, 1_300, 5_250)
	expect(result).toMatchObject({ poster: null, timescale: 48_000 })
	expect(poster).toBe(undefined)
	const probed = await probe(file)
	expect(probed.streams).toMatchObject([{ codec_type: 'audio', channels: 1 }])
	const tones = await toneTimes(file, probed)
	const expected = [0.7, 1.7, 2.7, 3.7, 4.7]
	expect(tones).toHaveLength(expected.length)
	for (const [index, tone] of tones.entries())
		expect(Math.abs(tone - (expected[index] ?? 0))).toBeLessThan(0.002)
	requireRanges(result, bytes, probed)
	expect(result.segments).toHaveLength(3)
	expect(ticksOf(result) / result.timescale).toBeCloseTo(5.25, 3)
})

test('the clip task stores no file when a segment is truncated or missing', async () => {
	const { objects, ...presentation } = await presentOnce(short)
	const spec = specFor({ objects, ...presentation }, 30, 60)
	const [video, audio] = [spec.video, spec.audio].map((urls) => urls.at(-1) ?? '')
	for (const url of [video, audio]) {
		const bytes = objects.get(url ?? '') ?? Buffer.alloc(0)
		const truncated = new Map([...objects, [url ?? '', bytes.subarray(0, bytes.length - 100)]])
		await expect(make(spec, truncated)).rejects.toThrow('a box is longer than its container')
	}
	await expect(make({ ...spec, video: spec.video.slice(0, -1) }, objects)).rejects.toThrow('60 frames')
	await expect(make({ ...spec, audio: spec.audio.toSpliced(2, 1) }, objects)).rejects.toThrow(
		'a segment begins',
	)
	await expect(make({ ...spec, audio: spec.audio.slice(0, 3) }, objects)).rejects.toThrow(
		'not in the segments',
	)
})

/** Serves a clip with a playlist of its byte ranges, and an empty page. */
async function serveClip({ result, bytes }: Clip) {
	let at = result.initBytes
	const lines = result.segments.flatMap((segment) => {
		at += segment.bytes
		const range = `#EXT-X-BYTERANGE:${segment.bytes}@${at - segment.bytes}`
		return [`#EXTINF:${segment.ticks / result.timescale},`, range, 'clip.mp4']
	})
	const head = ['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-TARGETDURATION:3', '#EXT-X-PLAYLIST-TYPE:VOD']
	const map = `#EXT-X-MAP:URI="clip.mp4",BYTERANGE="${result.initBytes}@0"`
	const playlist = [...head, map, ...lines, '#EXT-X-ENDLIST'].join('\n')
	const server = createServer(({ url, method, headers }, response) => {
		response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', 'range')
		if (method === 'OPTIONS') return response.end()
		if (url === '/clip.m3u8') return response.end(playlist)
		if (url !== '/clip.mp4') return response.setHeader('content-type', 'text/html').end('<!doctype html>')
		const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
		const last = to === '' ? bytes.length - 1 : Number(to)
		response.writeHead(206, {
			'content-type': 'video/mp4',
			'content-range': `bytes ${from}-${last}/${bytes.length}`,
		})
		return response.end(bytes.subarray(Number(from), last + 1))
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
	return { url, [Symbol.dispose]: () => server.close() }
}

test(
	'a clip plays in Chromium to its end, as a file and as HLS',
	needs({ Chromium: chromiumPath }),
	async () => {
		const made = await makeClip({ rate: '25', seconds: 7 }, 30, 130)
		using served = await serveClip(made)
		await using player = await openPlayer()
		const played = await player.play(`${served.url}/clip.m3u8`, { rate: 4 })
		expect(played).toMatchObject({ failure: null, width: 160, ranges: [[0, expect.closeTo(5.2, 2)]] })
		expect(played.frames).toBe(130)
		const page = await player.browser.newPage()
		await page.goto(served.url)
		const plain = await page.evaluate(`new Promise((resolve) => {
			const video = document.body.appendChild(document.createElement('video'))
			let firstFrameSec
			video.requestVideoFrameCallback((_, { mediaTime }) => {
				firstFrameSec = mediaTime
				video.play()
			})
			video.onerror = () => resolve(video.error.message)
			video.onended = () => resolve({
				firstFrameSec, duration: video.duration, soundBytes: video.webkitAudioDecodedByteCount,
				frames: video.getVideoPlaybackQuality().totalVideoFrames,
			})
			Object.assign(video, { src: '/clip.mp4', muted: true, preload: 'auto', defaultPlaybackRate: 4 })
		})`)
		expect(plain).toMatchObject({ firstFrameSec: 0, duration: expect.closeTo(5.2, 1), frames: 130 })
		expect(plain).not.toMatchObject({ soundBytes: 0 })
	},
)
