import type { Readable } from 'node:stream'
import {
	type RungResult,
	START_OFFSET_SEC,
	type TaskResultOf,
	type TaskSpecOf,
} from '#schema/contract/tasks.ts'
import { cutSegments } from '../ffmpeg/cut-segments.ts'
import { runFfmpeg } from '../ffmpeg/run.ts'
import { landsOnKeyframes } from '../ffmpeg/seek-behavior.ts'
import { expectedFramesOf, sheetRows, sheetTiles, timescaleOf, videoArgs } from '../ffmpeg/video-args.ts'
import { reasonOf } from '../log.ts'
import { putStream, type StoredStream } from './put-stream.ts'
import { blameSource, endsTooEarly } from './refusals.ts'
import type { RunTask, TaskContext } from './task.ts'
import { type Attempt, attemptsOf, usesHardware } from './video-attempts.ts'

type VideoSpec = TaskSpecOf<'video'>
type VideoResult = TaskResultOf<'video'>

/** The lease ends what takes too long; this ends what nobody waits for any more. */
const TIMEOUT_MS = 12 * 3_600_000
/** Where the length of a group of pictures is not known. */
const LONG_GOP_SEC = 12
const MAX_NOTE = 500

/** One decode of one stretch, encoded for every rung, stored segment by segment while it goes on. */
export const runVideo: RunTask<'video'> = async (spec, context) => {
	const started = performance.now()
	const { attempts, notes } = attemptsOf(spec, context.proved)
	for (const [index, attempt] of attempts.entries()) {
		try {
			const made = await encode(spec, context, attempt)
			await context.outputs.settled()
			const complaint = made.stderr.split('\n')[0]
			if (complaint) notes.push(`went on in spite of: ${complaint}`)
			return {
				kind: 'video',
				...made.result,
				workSec: (performance.now() - started) / 1_000,
				mediaSec: (made.result.frames * spec.fps.den) / spec.fps.num,
				hwAccelUsed: usesHardware(attempt),
				notes: notes.slice(0, 20).map((note) => note.slice(0, MAX_NOTE)),
			}
		} catch (error) {
			context.signal.throwIfAborted()
			if (index === attempts.length - 1) throw blameSource(error)
			// What is on its way still has the names of what is made now.
			await context.outputs.settled()
			const reason = failureOf(error)
			notes.push(`without ${nameOf(attempt)}, which failed: ${reason}`)
			context.log.warn('hardware failed; trying without', { hardware: nameOf(attempt), reason })
		}
	}
	throw new Error('no way to encode this was found')
}

async function encode(spec: VideoSpec, context: TaskContext, attempt: Attempt) {
	const { sourcePath, workDir, threads, proved, programs, signal } = context
	if (sourcePath === null) throw new Error('a chunk of video is made from a source')
	const expectedFrames = expectedFramesOf(spec)
	const args = videoArgs({
		spec,
		sourcePath,
		prerollSec: await prerollSecFor(spec, sourcePath),
		...attempt,
		devices: proved.devices,
		threads,
		expectedFrames,
	})
	const { value, stderr } = await runFfmpeg(
		{
			programs,
			args,
			access: { workDir, readable: [sourcePath] },
			signal,
			timeoutMs: TIMEOUT_MS,
			pipes: attempt.rungs.length + (spec.storyboard ? 1 : 0),
			onProgress: ({ frames }) => context.progress(Math.min(1, frames / expectedFrames)),
		},
		(pipes) =>
			Promise.all([readRungs(pipes, spec, context, attempt), readSheet(pipes, spec, context, attempt)]),
	)
	const [streams, sheetBytes] = value
	const frames = countFrames(spec, streams, stderr)
	return {
		stderr,
		result: { frames, rungs: describeRungs(attempt, streams), sheet: sheetOf(spec, frames, sheetBytes) },
	}
}

/** Frames that encoders of a codec decode ahead of what is shown, in all but the shortest chunks. */
const DECODED_AHEAD = { h264: 2, hevc: 2, av1: 0 }

async function prerollSecFor({ firstFrame, video }: VideoSpec, path: string): Promise<number> {
	if (firstFrame === 0 || (await landsOnKeyframes(path))) return 0
	return (video.longestGopSec ?? LONG_GOP_SEC) + 1
}

function readRungs(
	pipes: readonly Readable[],
	{ cuts, firstFrame, firstSegment, fps }: VideoSpec,
	{ outputs }: TaskContext,
	{ rungs }: Attempt,
): Promise<StoredStream[]> {
	const frameTicks = (timescaleOf(fps) * fps.den) / fps.num
	const own = cuts.map((cut) => cut - firstFrame)
	return Promise.all(
		rungs.map(({ id, codec }, index) => {
			const leastEdit = DECODED_AHEAD[codec] * frameTicks
			return putStream(pipes[index] as Readable, outputs, { id, firstSegment, leastEdit }, (fragments) =>
				cutSegments(fragments, own),
			)
		}),
	)
}

/** So much a sheet never is. */
const MAX_SHEET_BYTES = 32 * 1024 ** 2
const SHEET = 'sheet.jpg'

async function readSheet(
	pipes: readonly Readable[],
	{ storyboard }: VideoSpec,
	{ outputs }: TaskContext,
	{ rungs }: Attempt,
): Promise<number> {
	if (!storyboard) return 0
	const chunks: Buffer[] = []
	let bytes = 0
	for await (const chunk of pipes[rungs.length] as Readable) {
		bytes += chunk.length
		if (bytes > MAX_SHEET_BYTES) throw new Error('the sheet of small pictures is absurdly large')
		chunks.push(chunk)
	}
	if (bytes === 0) throw new Error('no sheet of small pictures was made')
	await outputs.put(SHEET, Buffer.concat(chunks))
	return bytes
}

/** The same on every rung, as many as there must be, and at the right time: or it is no chunk of this video. */
function countFrames(spec: VideoSpec, streams: readonly StoredStream[], stderr: string): number {
	const counts = streams.map(({ segments }) => segments.reduce((sum, { samples }) => sum + samples, 0))
	const frames = counts[0] ?? 0
	if (counts.some((count) => count !== frames))
		throw new Error(`the rungs differ in frames: ${counts.join(', ')}`)
	const expected = expectedFramesOf(spec)
	if (spec.frames === null ? frames < expected - slack(spec, expected) : frames < expected)
		throw endsTooEarly(frames, `${expected} were expected. ${stderr}`)
	if (spec.frames !== null && frames > expected) throw new Error(`${frames} frames instead of ${expected}`)
	const startSec = START_OFFSET_SEC + (spec.firstFrame * spec.fps.den) / spec.fps.num
	for (const { segments, timescale } of streams)
		if (segments[0]?.firstPts !== Math.round(startSec * timescale))
			throw new Error(`begins at ${segments[0]?.firstPts} instead of ${startSec * timescale}`)
	return frames
}

/** What files say of their own length is that far off, without anything being lost. */
const slack = ({ firstFrame, fps: { num, den } }: VideoSpec, expected: number) =>
	Math.max((0.5 * num) / den, 0.01 * (firstFrame + expected))

const describeRungs = ({ rungs }: Attempt, streams: readonly StoredStream[]): RungResult[] =>
	rungs.flatMap(({ id, encoder, width, height }, index) => {
		const stream = streams[index]
		if (!stream) return []
		const { init, codecs } = stream
		const segments = stream.segments.map(({ bytes, samples, keyBytes }) => ({
			bytes,
			frames: samples,
			keyBytes,
		}))
		return [{ id, encoder, width, height, init, codecs, segments }]
	})

function sheetOf(spec: VideoSpec, frames: number, bytes: number): VideoResult['sheet'] {
	const { storyboard } = spec
	if (!storyboard) return null
	const rows = sheetRows(storyboard, expectedFramesOf(spec))
	const { columns } = storyboard
	const tiles = Math.min(sheetTiles(storyboard, frames), rows * columns)
	return { name: SHEET, bytes, columns, rows, tiles }
}

const nameOf = ({ decoder, rungs }: Attempt) =>
	[...new Set([...(decoder ? [decoder] : []), ...rungs.map(({ encoder }) => encoder)])].join(', ')

function failureOf(error: unknown): string {
	const said = error instanceof Error && 'stderr' in error ? String(error.stderr).split('\n')[0] : ''
	return (said || reasonOf(error)).slice(0, 300)
}
