import { expect, test } from 'vitest'
import { completeTask } from '#schema/contract/video/leases.ts'
import type { AudioInfo, MediaInfo, VideoInfo } from '#schema/contract/video/media-info.ts'
import type { TaskKind, TaskResult, TaskSpec } from '#schema/contract/video/tasks.ts'
import { MAX_JSON_BYTES } from '../../../../edge/http/body/json-body.ts'
import {
	type EncodeOptions,
	type PlannedTask,
	planJob,
} from '../../../../edge/video/transcoding/plan/plan.ts'
import { describeOptions, describeSource } from '../../../support/shared/described-source.ts'

/** The longest accepted source. */
const SECONDS = 12 * 3_600
/** Uses the largest values that occur: segments of 100 MB and 240 frames. */
const BYTES = 99_999_999
const sha256 = 'f'.repeat(64)
const init = { bytes: 9_999, sha256 }
const text = 'x'.repeat(200)
const effort = { workSec: 99_999.123, mediaSec: 43_200.123, hwAccelUsed: true, notes: [text, text, text] }
const file = (name: string) => ({ name, bytes: BYTES })
const times = <T>(length: number, make: (k: number) => T): T[] => Array.from({ length }, (_, k) => make(k))

const largestRung = (id: string, length: number) => ({
	...{ id, encoder: 'h264_videotoolbox', width: 3_840, height: 2_160, init, codecs: 'avc1.640034' },
	segments: times(length, () => ({ bytes: BYTES, frames: 240, keyBytes: 9_999_999 })),
})

function resultOf(spec: TaskSpec, info: MediaInfo): TaskResult {
	switch (spec.kind) {
		case 'inspect':
			return { kind: 'inspect', info, ...effort }
		case 'remux':
			return { kind: 'remux', rung: largestRung(spec.rung, spec.cuts.length), ...effort }
		case 'video': {
			const rungs = spec.rungs.map(({ id }) => largestRung(id, spec.cuts.length))
			const sheet = { ...file('sheet.jpg'), columns: 10, rows: 1_000, tiles: 9_999 }
			return { kind: 'video', frames: spec.frames ?? 2_592_000, rungs, sheet, ...effort }
		}
		case 'audio': {
			const segments = Math.ceil((SECONDS * spec.segment.den) / spec.segment.num)
			const tracks = spec.tracks.map(({ id, sampleRate, channels }) => ({
				...{ id, sampleRate, channels, init, codecs: 'mp4a.40.2' },
				segments: times(segments, () => ({ bytes: BYTES, samples: 192_512 })),
			}))
			const [playback, ai] = [spec.playback && file('playback.m4a'), spec.ai && file('speech.flac')]
			const peaks = spec.peaks && { peaks: btoa('a'.repeat(spec.peaks)) }
			return { kind: 'audio', tracks, playback, ai, ...peaks, ...effort }
		}
		case 'stills': {
			const { storyboard } = spec
			const tiles = storyboard ? Math.ceil(storyboard.frames / storyboard.everyFrames) : 0
			const sheets = times(storyboard ? Math.ceil(tiles / storyboard.tilesPerSheet) : 0, (k) => ({
				...{ ...file(`sheets/${k}.jpg`), columns: 10, rows: 10, tiles: 100 },
			}))
			const pictures = { poster: file('poster.jpg'), preview: file('preview.webp') }
			return { kind: 'stills', ...pictures, placeholder: 'A'.repeat(56), sheets, ...effort }
		}
		default:
			throw new Error(`${spec.kind} is not planned`)
	}
}

function bytesOf(spec: TaskSpec, info: MediaInfo): number {
	const body = completeTask.body.parse({ epoch: 1, result: resultOf(spec, info) })
	return JSON.stringify(body).length
}

const inspection: PlannedTask = {
	index: 0,
	rank: 0,
	spec: { kind: 'inspect', maxDurationSec: SECONDS },
}
const fast = { num: 60, den: 1 }
const vp9 = { codec: 'vp9', keyframes: null }
const everyCodec: Partial<EncodeOptions> = {
	codecs: ['h264', 'hevc', 'av1'],
	encoders: { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' },
}
const large = { displayWidth: 3_840, displayHeight: 2_160, frameRate: fast }

test.each<[string, Partial<VideoInfo> | null, Partial<AudioInfo>[], Partial<EncodeOptions>]>([
	['a standard source whose top rung is copied', {}, [{}], {}],
	['a source of keyframes only', { longestGopSec: 1, keyframes: times(SECONDS, (k) => k * 30) }, [{}], {}],
	['a 2160p source at 60 frames per second, in every codec', { ...vp9, ...large }, [{}], everyCodec],
	['a source with a single keyframe', { ...vp9, ...large, longestGopSec: SECONDS }, [{}], everyCodec],
	['a video with sixteen audio tracks', vp9, times(16, () => ({})), {}],
	['sixteen audio tracks without video', null, times(16, () => ({})), {}],
])('the results of tasks of twelve hours fit into request bodies: %s', (_, video, audio, encodeOptions) => {
	const info = describeSource(SECONDS, video, audio)
	const { tasks } = planJob(info, describeOptions(encodeOptions))
	const largest = new Map<TaskKind, number>()
	for (const { spec } of [inspection, ...tasks])
		largest.set(spec.kind, Math.max(largest.get(spec.kind) ?? 0, bytesOf(spec, info)))
	for (const [kind, bytes] of largest) expect(bytes, kind).toBeLessThan(MAX_JSON_BYTES)
})

test('audio tracks beyond one task are split, and the files are made from the default track', () => {
	const audio = times(5, (k) => ({ isDefault: k === 3, codec: 'ac3' }))
	const audioTasks = (seconds: number) =>
		planJob(describeSource(seconds, {}, audio), describeOptions())
			.tasks.map(({ index, spec }) => ({ index, spec }))
			.flatMap(({ index, spec }) => (spec.kind === 'audio' ? [{ index, spec }] : []))
	expect(audioTasks(3_600).map(({ spec }) => spec.tracks.length)).toEqual([5])
	const long = audioTasks(SECONDS)
	expect(long.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4])
	expect(long.map(({ spec }) => spec.tracks.map(({ id }) => id).join())).toEqual([
		'a0',
		'a1',
		'a2',
		'a3',
		'a4',
	])
	expect(long.map(({ spec }) => [spec.playback !== null, spec.ai !== null])).toEqual(
		[0, 1, 2, 3, 4].map((k) => [k === 3, k === 3]),
	)
})
