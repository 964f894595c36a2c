import type { Readable } from 'node:stream'
import {
	type RungResult,
	START_OFFSET_SEC,
	type TaskResultByKind,
	type TaskSpecByKind,
} from '#schema/contract/video/tasks.ts'
import { runFfmpeg } from '../ffmpeg/run.ts'
import { landsOnKeyframes } from '../ffmpeg/seek-behavior.ts'
import {
	buildVideoArgs,
	canFindShots,
	chooseVideoTimescale,
	countExpectedFrames,
	countSheetRows,
	listSheetTiles,
} from '../ffmpeg/video-args.ts'
import { describeReason } from '../log.ts'
import { cutSegments } from '../mp4/cut-segments.ts'
import { findShotCuts } from '../shots/shot-cuts.ts'
import { putStream, type StoredStream } from './put-stream.ts'
import { encodingError, truncatedError } from './source-errors.ts'
import type { RunTask, TaskContext } from './task.ts'
import { type Attempt, planAttempts, usesHardware } from './video-attempts.ts'

type VideoSpec = TaskSpecByKind<'video'>
type VideoResult = TaskResultByKind<'video'>

/** A backstop: normally the lease ends a task that takes too long. */
const TIMEOUT_MS = 12 * 3_600_000
/** Assumed length of a group of pictures, where it is unknown. */
const LONG_GOP_SEC = 12
const MAX_NOTE = 500

/** Encodes one chunk for every rung in a single decode, and stores segments as they are finished. */
export const runVideo: RunTask<'video'> = async (spec, context) => {
	const startedAt = performance.now()
	const { attempts, notes } = planAttempts(spec, context.proved)
	for (const [index, attempt] of attempts.entries()) {
		try {
			const encoded = await encode(spec, context, attempt)
			await context.outputs.flush()
			const warning = encoded.stderr.split('\n')[0]
			if (warning) notes.push(`continued despite: ${warning}`)
			return {
				kind: 'video',
				...encoded.result,
				workSec: (performance.now() - startedAt) / 1_000,
				mediaSec: (encoded.result.frames * spec.fps.den) / spec.fps.num,
				hwAccelUsed: usesHardware(attempt),
				notes: notes.slice(0, 20).map((note) => note.slice(0, MAX_NOTE)),
			}
		} catch (error) {
			context.signal.throwIfAborted()
			if (index === attempts.length - 1) throw encodingError(error)
			// Uploads in progress share names with the next attempt.
			await context.outputs.flush()
			const reason = failureReason(error)
			notes.push(`retried without ${nameOf(attempt)}, which failed: ${reason}`)
			context.log.warn('hardware failed; retrying without it', { hardware: nameOf(attempt), reason })
		}
	}
	throw new Error('there is no encoding attempt left')
}

async function encode(spec: VideoSpec, context: TaskContext, attempt: Attempt) {
	const { sourcePath, workDir, threads, proved, programs, signal } = context
	if (sourcePath === null) throw new Error('a video chunk needs a source')
	const expectedFrames = countExpectedFrames(spec)
	const args = buildVideoArgs({
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
			pipes: attempt.rungs.length + (spec.storyboard ? 1 : 0) + (canFindShots({ spec, ...attempt }) ? 1 : 0),
			onProgress: ({ frames }) => context.progress(Math.min(1, frames / expectedFrames)),
		},
		(pipes) =>
			Promise.all([
				readRungs(pipes, spec, context, attempt),
				readSheet(pipes, spec, context, attempt),
				readShots(pipes, spec, attempt),
			]),
	)
	const [streams, sheetBytes, shots] = value
	const frames = countFrames(spec, streams, stderr)
	return {
		stderr,
		result: {
			frames,
			rungs: describeRungs(attempt, streams),
			sheet: sheetOf(spec, frames, sheetBytes),
			...(shots && { shots: shots.filter((frame) => frame < frames) }),
		},
	}
}

/** Frames that each codec's encoder decodes ahead of presentation, except in the shortest chunks. */
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
	const frameTicks = (chooseVideoTimescale(fps) * fps.den) / fps.num
	const chunkCuts = cuts.map((cut) => cut - firstFrame)
	return Promise.all(
		rungs.map(({ id, codec }, index) => {
			const minEdit = DECODED_AHEAD[codec] * frameTicks
			return putStream(pipes[index] as Readable, outputs, { id, firstSegment, minEdit }, (fragments) =>
				cutSegments(fragments, chunkCuts),
			)
		}),
	)
}

/** Above the size of any sheet. */
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
		if (bytes > MAX_SHEET_BYTES) throw new Error('the storyboard sheet exceeds the memory limit')
		chunks.push(chunk)
	}
	if (bytes === 0) throw new Error('ffmpeg made no storyboard sheet')
	await outputs.put(SHEET, Buffer.concat(chunks))
	return bytes
}

/** Returns the frames that start a new shot, or null without shot detection. */
const readShots = async (
	pipes: readonly Readable[],
	spec: VideoSpec,
	attempt: Attempt,
): Promise<number[] | null> =>
	canFindShots({ spec, ...attempt })
		? findShotCuts(pipes[attempt.rungs.length + 1] as Readable, spec.fps.num / spec.fps.den)
		: null

/** Returns the number of frames. Throws unless it is equal on every rung, complete, and starts at the right time. */
function countFrames(spec: VideoSpec, streams: readonly StoredStream[], stderr: string): number {
	const counts = streams.map(({ segments }) => segments.reduce((sum, { samples }) => sum + samples, 0))
	const frames = counts[0] ?? 0
	if (counts.some((count) => count !== frames))
		throw new Error(`the rungs have different frame counts: ${counts.join(', ')}`)
	const expected = countExpectedFrames(spec)
	if (spec.frames === null ? frames < expected - slack(spec, expected) : frames < expected)
		throw truncatedError(frames, `${expected} were expected; ${stderr}`)
	if (spec.frames !== null && frames > expected)
		throw new Error(`the chunk has ${frames} frames instead of ${expected}`)
	const startSec = START_OFFSET_SEC + (spec.firstFrame * spec.fps.den) / spec.fps.num
	for (const { segments, timescale } of streams)
		if (segments[0]?.firstPts !== Math.round(startSec * timescale))
			throw new Error(`the chunk begins at ${segments[0]?.firstPts} instead of ${startSec * timescale}`)
	return frames
}

/** A file's own duration may be off by this much although no frame is missing. */
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
	const rows = countSheetRows(storyboard, countExpectedFrames(spec))
	const { columns } = storyboard
	const tiles = Math.min(listSheetTiles(storyboard, frames), rows * columns)
	return { name: SHEET, bytes, columns, rows, tiles }
}

const nameOf = ({ decoder, rungs }: Attempt) =>
	[...new Set([...(decoder ? [decoder] : []), ...rungs.map(({ encoder }) => encoder)])].join(', ')

function failureReason(error: unknown): string {
	const stderrLine = error instanceof Error && 'stderr' in error ? String(error.stderr).split('\n')[0] : ''
	return (stderrLine || describeReason(error)).slice(0, 300)
}
