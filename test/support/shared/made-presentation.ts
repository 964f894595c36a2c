import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { MediaInfo, Rational } from '#schema/contract/video/media-info.ts'
import type { QualityStep } from '#schema/contract/video/quality.ts'
import {
	formatInitName,
	formatSegmentName,
	type TaskResult,
	type TaskSpecByKind,
	type VideoCodec,
} from '#schema/contract/video/tasks.ts'
import { planJob } from '../../../edge/video/transcoding/plan/plan.ts'
import { writePresentation } from '../../../edge/video/transcoding/presentation/presentation.ts'
import type { TaskOutput } from '../../../edge/video/transcoding/presentation/task-output.ts'
import { readBoxes, toDataView } from '../../../scripts/operate/hls-validator/boxes.ts'
import { readInit } from '../../../scripts/operate/hls-validator/init-segment.ts'
import { readMediaSegment } from '../../../scripts/operate/hls-validator/media-segment.ts'
import { describeOptions, describeSource } from './described-source.ts'

/** Files by their paths relative to the master playlist. */
export type Files = Map<string, Uint8Array>

type Made = { frameRate?: Rational; qualities?: readonly QualityStep[] }

/** A presentation as planned by the edge, encoded by ffmpeg without the daemon and the Worker. */
export async function makePresentation(
	ffmpeg: string,
	directory: string,
	codecs: readonly VideoCodec[] = ['h264'],
	seconds = 30,
	{ frameRate = { num: 30_000, den: 1_001 }, qualities }: Made = {},
): Promise<Files> {
	const rate = `${frameRate.num}/${frameRate.den}`
	const source = join(directory, 'source.mkv')
	const noise = 'anoisesrc=r=48000:a=0.2:seed=7'
	await run(ffmpeg, [
		...['-f', 'lavfi', '-i', `testsrc2=s=640x360:r=${rate},noise=alls=12:allf=t+u:all_seed=3`],
		...['-f', 'lavfi', '-i', noise, '-t', String(seconds), '-ac', '2', '-c:a', 'flac'],
		...['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '10', '-y', source],
	])
	const info: MediaInfo = describeSource(
		seconds,
		{ displayWidth: 640, displayHeight: 360, frameRate, codec: 'vp9' },
		[{ language: 'eng' }],
	)
	const { plan, tasks } = planJob(
		info,
		describeOptions({ codecs, encoders, ...(qualities && { qualities }) }),
	)
	const files: Files = new Map()
	const outputs: TaskOutput[] = []
	for (const { index, spec } of tasks) {
		const folder = `${spec.kind}${index}-1`
		const work = join(directory, folder)
		await mkdir(work, { recursive: true })
		const output =
			spec.kind === 'video'
				? await makeChunk(ffmpeg, source, work, spec)
				: spec.kind === 'audio'
					? await makeSound(ffmpeg, source, work, spec)
					: null
		if (!output) continue
		for (const [name, bytes] of output.files) files.set(`${folder}/${name}`, bytes)
		outputs.push({ folder, index, result: output.result })
	}
	const presentation = writePresentation(plan, outputs)
	for (const { name, text } of presentation?.files ?? []) files.set(name, Buffer.from(text))
	return files
}

export const run = (program: string, args: readonly string[]) =>
	execa(program, ['-v', 'error', '-nostdin', ...args])

const encoders = { h264: 'libx264', hevc: 'libx265', av1: 'libsvtav1' }
const encoderArgs: Record<VideoCodec, string[]> = {
	h264: ['libx264', '-preset', 'veryfast', '-profile:v', 'high', '-sc_threshold', '0'],
	hevc: [
		...['libx265', '-preset', 'ultrafast', '-tag:v', 'hvc1', '-forced-idr', '1'],
		...['-x265-params', 'scenecut=0:open-gop=0:repeat-headers=0:log-level=none'],
	],
	av1: ['libsvtav1', '-preset', '12', '-svtav1-params', 'enable-force-key-frames=1'],
}
const fragmented = '+frag_keyframe+empty_moov+default_base_moof+frag_discont+skip_trailer'
const effort = { workSec: 1, mediaSec: 1, hwAccelUsed: false, notes: [] }

async function makeChunk(ffmpeg: string, source: string, work: string, spec: TaskSpecByKind<'video'>) {
	const { fps, firstFrame, cuts, firstSegment, rungs } = spec
	const rate = `${fps.num}/${fps.den}`
	const at = (frame: number) => ((frame * fps.den) / fps.num).toFixed(6)
	const split = rungs.map((_, k) => `[s${k}]`).join('')
	const scales = rungs.map(({ width, height }, k) => `[s${k}]scale=${width}:${height},setsar=1[v${k}]`)
	const end = spec.frames === null ? [] : ['-frames:v', String(spec.frames)]
	await run(ffmpeg, [
		...(firstFrame > 0 ? ['-ss', at(firstFrame - 0.5)] : []),
		...['-i', source, '-filter_complex'],
		`[0:v]fps=${rate}:start_time=0,setpts=N/(${rate})/TB,split=${rungs.length}${split};${scales.join(';')}`,
		...rungs.flatMap(({ codec, maxKbps, crf }, k) => [
			...['-map', `[v${k}]`, ...end, '-c:v', ...encoderArgs[codec]],
			...['-pix_fmt', 'yuv420p', '-color_primaries', 'bt709', '-color_trc', 'bt709', '-colorspace', 'bt709'],
			...['-g', '9999', '-crf', String(crf)],
			...['-force_key_frames', cuts.map((cut) => at(cut - firstFrame)).join(',')],
			...(codec === 'av1' ? [] : ['-maxrate', `${maxKbps}k`, '-bufsize', `${maxKbps}k`]),
			...['-video_track_timescale', '90000'],
			...['-output_ts_offset', ((firstFrame * fps.den) / fps.num + 1).toFixed(6)],
			...[
				'-use_editlist',
				'0',
				'-avoid_negative_ts',
				'disabled',
				'-movflags',
				fragmented,
				'-y',
				join(work, `${k}.mp4`),
			],
		]),
	])
	const files: Files = new Map()
	const output = await Promise.all(
		rungs.map(async (rung, k) => {
			const { init, segments } = splitFile(await readFile(join(work, `${k}.mp4`)))
			files.set(formatInitName(rung.id), init)
			for (const [n, bytes] of segments.entries())
				files.set(formatSegmentName(rung.id, firstSegment + n), bytes)
			const { id, encoder, width, height } = rung
			return {
				id,
				encoder,
				width,
				height,
				...describeInit(init),
				segments: segments.map((each) => measure(each, init)),
			}
		}),
	)
	const frames = output[0]?.segments.reduce((sum, segment) => sum + segment.frames, 0) ?? 0
	const sheet = { name: 'sheet.jpg', bytes: 1, columns: 10, rows: 1, tiles: 1 }
	const result: TaskResult = { kind: 'video', frames, rungs: output, sheet, ...effort }
	return { files, result }
}

async function makeSound(ffmpeg: string, source: string, work: string, spec: TaskSpecByKind<'audio'>) {
	const path = join(work, 'sound.mp4')
	const { num, den } = spec.segment
	await run(ffmpeg, [
		...['-i', source, '-map', '0:a', '-t', String(spec.durationSec), '-c:a', 'aac', '-b:a', '128k'],
		...['-output_ts_offset', '1', '-avoid_negative_ts', 'disabled', '-frag_duration'],
		...[
			String(Math.round((num / den - 0.02) * 1_000_000)),
			'-movflags',
			fragmented.replace('+frag_keyframe', ''),
		],
		...['-y', path],
	])
	const files: Files = new Map()
	const { init, segments } = splitFile(await readFile(path))
	files.set(formatInitName('a0'), init)
	for (const [n, bytes] of segments.entries()) files.set(formatSegmentName('a0', n), bytes)
	const track = {
		...{ id: 'a0', sampleRate: 48_000, channels: 2 },
		...describeInit(init),
		segments: segments.map((bytes) => {
			const [fragment] = readMediaSegment(bytes, readInit(init)).fragments
			const seconds = fragment ? fragment.decodeEnd - fragment.decodeStart : 0
			return { bytes: bytes.length, samples: Math.round(seconds * 48_000) }
		}),
	}
	const object = { name: 'a.m4a', bytes: 1 }
	const result: TaskResult = { kind: 'audio', tracks: [track], playback: object, ai: object, ...effort }
	return { files, result }
}

function splitFile(bytes: Uint8Array): { init: Uint8Array; segments: Uint8Array[] } {
	const boxes = readBoxes(bytes)
	const moofs = boxes.filter(({ type }) => type === 'moof')
	const first = moofs[0]?.start ?? bytes.length
	const segments = moofs.map(({ start }, k) => bytes.slice(start, moofs[k + 1]?.start ?? bytes.length))
	return { init: bytes.slice(0, first), segments }
}

const describeInit = (init: Uint8Array) => ({
	init: { bytes: init.length, sha256: createHash('sha256').update(init).digest('hex') },
	codecs: readInit(init).tracks[0]?.codec ?? '',
})

function measure(bytes: Uint8Array, init: Uint8Array) {
	const { fragments } = readMediaSegment(bytes, readInit(init))
	const range = findFirstSample(bytes)
	return { bytes: bytes.length, frames: fragments[0]?.samples ?? 0, keyBytes: range.end }
}

/** The byte range of the first sample, in fragments as ffmpeg writes them. */
export function findFirstSample(segment: Uint8Array): { start: number; end: number } {
	const trun = Buffer.from(segment).indexOf('trun')
	const view = toDataView(segment.subarray(trun + 4))
	const flags = view.getUint32(0) & 0xffffff
	const start = view.getUint32(8)
	const sample = 12 + (flags & 4 ? 4 : 0)
	const size = view.getUint32(sample + (flags & 256 ? 4 : 0))
	return { start, end: start + size }
}
