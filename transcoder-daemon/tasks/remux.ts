import type { Readable } from 'node:stream'
import { START_OFFSET_SEC, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { buildClockArgs, buildInputArgs } from '../ffmpeg/input.ts'
import { runFfmpeg } from '../ffmpeg/run.ts'
import { chooseVideoTimescale } from '../ffmpeg/video-args.ts'
import { cutCopiedSegments, OffGridError } from '../mp4/cut-copied-segments.ts'
import type { Fragment, Init } from '../mp4/segments.ts'
import { putStream, type StoredStream } from './put-stream.ts'
import { encodingError } from './source-errors.ts'
import { type RunTask, SourceError, type TaskContext } from './task.ts'

/** The time includes waiting for uploads, which only the lease limits. */
const NO_LIMIT_MS = 24 * 3_600_000

const copyArgs = (path: string, { video, fps }: TaskSpecByKind<'remux'>): string[] => [
	...buildClockArgs(video),
	...buildInputArgs(path),
	...[
		'-map',
		`0:${video.streamIndex}`,
		'-c',
		'copy',
		'-tag:v',
		'avc1',
		'-map_metadata',
		'-1',
		'-map_chapters',
		'-1',
	],
	...['-video_track_timescale', String(chooseVideoTimescale(fps)), '-use_editlist', '0'],
	...['-output_ts_offset', String(START_OFFSET_SEC), '-avoid_negative_ts', 'disabled'],
	...['-movflags', '+frag_keyframe+empty_moov+default_base_moof+frag_discont+skip_trailer'],
	...['-f', 'mp4', 'pipe:3'],
]

export const runRemux: RunTask<'remux'> = async (spec, context) => {
	const startedAt = performance.now()
	const { programs, signal, workDir, sourcePath } = context
	if (sourcePath === null) throw new Error('remux needs a source')
	const { value } = await runFfmpeg(
		{
			programs,
			signal,
			timeoutMs: NO_LIMIT_MS,
			pipes: 1,
			access: { workDir, readable: [sourcePath] },
			args: copyArgs(sourcePath, spec),
		},
		([pipe]) => putCopy(pipe as Readable, spec, context),
	).catch((error: unknown) => {
		throw encodingError(toDamagedError(error))
	})
	await context.outputs.flush()
	const segments = value.segments.map(({ bytes, samples, keyBytes }) => ({
		bytes,
		frames: samples,
		keyBytes,
	}))
	const frames = segments.reduce((sum, segment) => sum + segment.frames, 0)
	// The grid may begin half a frame before the video.
	if (spec.video.frameCount && Math.abs(frames - spec.video.frameCount) > 1)
		throw toDamagedError(new OffGridError(`${frames} of ${spec.video.frameCount} frames were copied`))
	return {
		kind: 'remux',
		rung: {
			id: spec.rung,
			encoder: 'copy',
			width: spec.video.codedWidth,
			height: spec.video.codedHeight,
			init: value.init,
			codecs: value.codecs,
			segments,
		},
		workSec: (performance.now() - startedAt) / 1_000,
		mediaSec: (frames * spec.fps.den) / spec.fps.num,
		hwAccelUsed: false,
		notes: [],
	}
}

function putCopy(
	pipe: Readable,
	{ video, rung, fps, cuts }: TaskSpecByKind<'remux'>,
	{ outputs, progress }: TaskContext,
): Promise<StoredStream> {
	let frames = 0
	async function* cut(fragments: AsyncIterable<Fragment>, { timescale }: Init): AsyncGenerator<Fragment> {
		const startOut = START_OFFSET_SEC * timescale
		// ffmpeg keeps the distance if the container begins before the video.
		const startIn = startOut + Math.round((video.startSec + (video.clockSec ?? 0)) * timescale)
		for await (const segment of cutCopiedSegments(fragments, { fps, timescale, cuts, startOut, startIn })) {
			yield segment
			frames += segment.samples
			if (video.frameCount) progress(Math.min(1, frames / video.frameCount))
		}
	}
	return putStream(pipe, outputs, { id: rung, firstSegment: 0 }, cut)
}

/** Returns a SourceError if the frames differ from their description, as they would on every machine. */
const toDamagedError = (error: unknown): unknown =>
	error instanceof OffGridError
		? new SourceError('the frames of this video do not match its index: the file is damaged', error.message)
		: error
