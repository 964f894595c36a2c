import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Rational, VideoInfo } from '#schema/contract/video/media-info.ts'
import {
	formatInitName,
	formatSegmentName,
	type Rung,
	type TaskResultByKind,
	type TaskSpecByKind,
	type VideoCodec,
} from '#schema/contract/video/tasks.ts'
import { planRung } from '../../../edge/video/transcoding/plan/ladder.ts'
import { softwareEncoders } from '../../../transcoder-daemon/ffmpeg/encoder-args.ts'
import { runFfmpeg } from '../../../transcoder-daemon/ffmpeg/run.ts'
import type { TaskContext } from '../../../transcoder-daemon/tasks/task.ts'
import { runVideo } from '../../../transcoder-daemon/tasks/video.ts'
import { numberIn, readStrip, STRIP_BITS } from '../../support/shared/frame-numbers.ts'
import { programs } from '../ffmpeg/programs.ts'
import { MemoryOutputs, taskContext } from '../tasks/task-context.ts'

type VideoSpec = TaskSpecByKind<'video'>

export const rung = (width: number, height: number, more: Partial<Rung> = {}): Rung => ({
	id: `h264-${Math.min(width, height)}p`,
	quality: `${Math.min(width, height)}p`,
	codec: 'h264',
	encoder: 'libx264',
	width,
	height,
	crf: 20,
	maxKbps: 6_000,
	preset: 'veryfast',
	...more,
})

const even = (length: number) => 2 * Math.round(length / 2)

/** Returns rungs of two sizes; the smaller has a third of the pixels. */
export const makeRungs = ({ displayWidth, displayHeight }: VideoInfo): Rung[] => [
	rung(even(displayWidth), even(displayHeight)),
	rung(even(displayWidth * 0.6), even(displayHeight * 0.6)),
]

/** Returns the same rungs in another codec or by another encoder, with the product's options. */
export const rungsIn = (
	video: VideoInfo,
	codec: VideoCodec,
	encoder: string = softwareEncoders[codec],
): Rung[] => makeRungs(video).map((each) => planRung(each, video.frameRate, codec, encoder))

export const videoSpec = (video: VideoInfo, more: Partial<VideoSpec> = {}): VideoSpec => ({
	kind: 'video',
	video,
	prepare: { deinterlace: video.isInterlaced, toneMap: video.isHdr },
	fps: video.frameRate,
	firstFrame: 0,
	frames: null,
	cuts: [0],
	firstSegment: 0,
	rungs: makeRungs(video),
	storyboard: null,
	...more,
})

/** Returns chunks of two segments of about a second; the last chunk extends to the end. */
export function chunkSpecs(
	video: VideoInfo,
	more: Partial<VideoSpec> = {},
	segmentsPerChunk = 2,
): VideoSpec[] {
	const { num, den } = video.frameRate
	const total = Math.round((video.durationSec * num) / den)
	const segment = Math.ceil(num / den)
	const cuts = Array.from({ length: Math.max(1, Math.ceil(total / segment)) }, (_, index) => index * segment)
	return chunksAt(video, cuts, segmentsPerChunk, more)
}

export function chunksAt(
	video: VideoInfo,
	cuts: readonly number[],
	segmentsPerChunk: number,
	more: Partial<VideoSpec> = {},
): VideoSpec[] {
	const chunks: VideoSpec[] = []
	for (let first = 0; first < cuts.length; first += segmentsPerChunk) {
		const firstFrame = cuts[first] ?? 0
		const next = cuts[first + segmentsPerChunk]
		chunks.push(
			videoSpec(video, {
				...more,
				firstFrame,
				frames: next === undefined ? null : next - firstFrame,
				cuts: cuts.slice(first, first + segmentsPerChunk),
				firstSegment: first,
			}),
		)
	}
	return chunks
}

export type Encoded = { results: TaskResultByKind<'video'>[]; files: string[]; outputs: MemoryOutputs }

/** Runs the chunks as machines do, and joins each rung as a player does: one init segment, then all segments. */
export async function encodeChunks(
	specs: readonly VideoSpec[],
	sourcePath: string,
	dir: string,
	more: Partial<TaskContext> = {},
): Promise<Encoded> {
	const outputs = new MemoryOutputs()
	const results: TaskResultByKind<'video'>[] = []
	for (const spec of specs)
		results.push(await runVideo(spec, taskContext(sourcePath, dir, { ...more, outputs })))
	const files: string[] = []
	for (const { id } of specs[0]?.rungs ?? []) {
		const segments = results.flatMap(({ rungs }) => rungs.find((each) => each.id === id)?.segments ?? [])
		files.push(await joinStream(outputs, id, segments.length, dir))
	}
	return { results, files, outputs }
}

export async function joinStream(
	outputs: MemoryOutputs,
	id: string,
	segments: number,
	dir: string,
): Promise<string> {
	const names = [
		formatInitName(id),
		...Array.from({ length: segments }, (_, number) => formatSegmentName(id, number)),
	]
	const parts = names.map((name) => {
		const bytes = outputs.stored.get(name)
		if (!bytes) throw new Error(`${name} was not stored`)
		return bytes
	})
	const path = join(dir, `joined-${id}-${Math.random().toString(36).slice(2)}.mp4`)
	await writeFile(path, Buffer.concat(parts))
	return path
}

/** Runs ffmpeg to examine results. */
export async function examine(
	args: readonly string[],
	dir: string,
): Promise<{ bytes: Buffer; stderr: string; frames: number }> {
	const { value, stderr, progress } = await runFfmpeg(
		{
			programs,
			args,
			access: { workDir: dir, readable: [] },
			signal: new AbortController().signal,
			timeoutMs: 600_000,
			pipes: 1,
		},
		async ([pipe]) => Buffer.concat((await pipe?.toArray()) ?? []),
	)
	return { bytes: value, stderr, frames: progress.frames }
}

/** Returns the numbers drawn on the frames, in order. */
export async function readNumbers(file: string, dir: string, before = 'null'): Promise<number[]> {
	const { bytes } = await examine(
		['-i', file, '-vf', `${before},${readStrip}`, '-vsync', 'passthrough', '-f', 'rawvideo', 'pipe:3'],
		dir,
	)
	return numbersIn(bytes)
}

function numbersIn(strips: Buffer): number[] {
	return Array.from({ length: Math.floor(strips.length / STRIP_BITS) }, (_, frame) =>
		numberIn(strips.subarray(frame * STRIP_BITS, (frame + 1) * STRIP_BITS)),
	)
}

/**
 * Decodes joined rungs and their source once. Returns the numbers on the frames of each, the source's on its grid of
 * frames and computed independently of the product, and the similarity (SSIM) of each rung to the source over all
 * frames; 1 is identical.
 */
export async function compareWithSource(
	source: { path: string; fps: Rational; reference: string },
	rungs: readonly { path: string; width: number; height: number }[],
	dir: string,
): Promise<{ source: number[]; rungs: { numbers: number[]; ssim: number }[] }> {
	const fps = `fps=${source.fps.num}/${source.fps.den}`
	const labels = rungs.map((_, index) => `[reference${index}]`)
	const graph = [
		`[0:v]split[all][shown];[all]${fps},${readStrip}[numbers]`,
		`[shown]${source.reference},${fps},settb=AVTB,setpts=N*1000,split=${rungs.length}${labels.join('')}`,
		...rungs.flatMap(({ width, height }, index) => [
			`[${index + 1}:v]split[made${index}][strip${index}];[strip${index}]${readStrip}[numbers${index}]`,
			`[made${index}]settb=AVTB,setpts=N*1000,setsar=1,format=yuv420p[compared${index}]`,
			`${labels[index]}scale=${width}:${height},setsar=1,format=yuv420p[scaled${index}]`,
			`[compared${index}][scaled${index}]ssim@rung${index},nullsink`,
		]),
	].join(';')
	const strips = ['', ...rungs.keys()].map((index) => ({
		label: `[numbers${index}]`,
		file: join(dir, `numbers-${crypto.randomUUID()}`),
	}))
	const inputs = [source, ...rungs].flatMap(({ path }) => ['-i', path])
	const outputs = strips.flatMap(({ label, file }) => [
		...['-map', label, '-vsync', 'passthrough', '-f', 'rawvideo', file],
	])
	const { stderr } = await examine(
		['-loglevel', 'info', ...inputs, '-filter_complex', graph, ...outputs],
		dir,
	)
	const [sourceNumbers = [], ...numbers] = await Promise.all(
		strips.map(async ({ file }) => numbersIn(await readFile(file))),
	)
	const ssim = (index: number) =>
		Number(new RegExp(`ssim@rung${index} .*SSIM .*All:([\\d.]+)`).exec(stderr)?.[1])
	return {
		source: sourceNumbers,
		rungs: numbers.map((each, index) => ({ numbers: each, ssim: ssim(index) })),
	}
}
