import type { Readable } from 'node:stream'
import { initName, START_OFFSET_SEC, segmentName, type TaskSpecOf } from '#schema/contract/tasks.ts'
import { cutOntoGrid, TIMESCALE } from '../ffmpeg/grid-segments.ts'
import { inputArgs } from '../ffmpeg/input.ts'
import { runFfmpeg } from '../ffmpeg/run.ts'
import { type Fragment, type Init, readFragments } from '../ffmpeg/segments.ts'
import { refusalOf } from './refusals.ts'
import type { RunTask, TaskContext } from './task.ts'

/** Waiting for the way up is part of it: how long that may take is the lease's business. */
const NO_LIMIT_MS = 24 * 3_600_000

const copyArgs = (path: string, streamIndex: number): string[] => [
	...inputArgs(path),
	...[
		'-map',
		`0:${streamIndex}`,
		'-c',
		'copy',
		'-tag:v',
		'avc1',
		'-map_metadata',
		'-1',
		'-map_chapters',
		'-1',
	],
	...['-video_track_timescale', String(TIMESCALE)],
	...['-output_ts_offset', String(START_OFFSET_SEC), '-avoid_negative_ts', 'disabled'],
	...['-movflags', '+frag_keyframe+empty_moov+default_base_moof+frag_discont+skip_trailer'],
	...['-f', 'mp4', 'pipe:3'],
]

export const remux: RunTask<'remux'> = async (spec, context) => {
	const begun = performance.now()
	const { programs, signal, workDir, sourcePath } = context
	if (sourcePath === null) throw new Error('remux was given no source')
	const { value } = await runFfmpeg(
		{
			...{ programs, signal, timeoutMs: NO_LIMIT_MS, pipes: 1 },
			access: { workDir, readable: [sourcePath] },
			args: copyArgs(sourcePath, spec.video.streamIndex),
		},
		([pipe]) => putSegments(pipe as Readable, spec, context),
	).catch((error: unknown) => {
		throw refusalOf(error)
	})
	await context.outputs.settled()
	const frames = value.segments.reduce((sum, segment) => sum + segment.frames, 0)
	return {
		kind: 'remux',
		rung: {
			...{ id: spec.rung, encoder: 'copy', width: spec.video.codedWidth, height: spec.video.codedHeight },
			...value,
		},
		workSec: (performance.now() - begun) / 1_000,
		mediaSec: (frames * spec.fps.den) / spec.fps.num,
		hwAccelUsed: false,
		notes: [],
	}
}

async function putSegments(
	pipe: Readable,
	{ video, rung, fps, cuts }: TaskSpecOf<'remux'>,
	{ outputs, progress }: TaskContext,
) {
	const parts = readFragments(pipe)
	const init = await takeInit(parts)
	await outputs.put(initName(rung), init.bytes)
	const startOut = START_OFFSET_SEC * TIMESCALE
	// Where the container begins before the picture, ffmpeg keeps the distance.
	const grid = { fps, cuts, startOut, startIn: startOut + Math.round(video.startSec * TIMESCALE) }
	const segments: { bytes: number; frames: number; keyBytes: number }[] = []
	let frames = 0
	for await (const segment of cutOntoGrid(fragmentsIn(parts), grid)) {
		await outputs.put(segmentName(rung, segments.length), segment.bytes)
		const { bytes, samples, keyBytes } = segment
		segments.push({ bytes: bytes.length, frames: samples, keyBytes })
		frames += samples
		if (video.frameCount) progress(Math.min(1, frames / video.frameCount))
	}
	// The grid may begin half a frame before the picture.
	if (video.frameCount && Math.abs(frames - video.frameCount) > 1)
		throw new Error(`${frames} of ${video.frameCount} frames were copied`)
	return { init: { bytes: init.bytes.length, sha256: init.sha256 }, codecs: init.codecs, segments }
}

async function takeInit(parts: AsyncGenerator<Init | Fragment>): Promise<Init> {
	const { value } = await parts.next()
	if (value?.kind !== 'init') throw new Error('ffmpeg wrote no init segment')
	if (value.timescale !== TIMESCALE) throw new Error(`ffmpeg counts ${value.timescale} ticks in a second`)
	return value
}

async function* fragmentsIn(parts: AsyncIterable<Init | Fragment>): AsyncGenerator<Fragment> {
	for await (const part of parts) if (part.kind === 'fragment') yield part
}
