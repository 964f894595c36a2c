import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { START_OFFSET_SEC, type TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { JPEG_COLORS } from '../../ffmpeg/color.ts'
import { buildInputArgs } from '../../ffmpeg/input.ts'
import { readAll, runFfmpeg } from '../../ffmpeg/run.ts'
import { appendObjects } from '../append-objects.ts'
import type { RunTask } from '../task.ts'

type PosterSpec = TaskSpecByKind<'poster'>

const POSTER = 'poster.jpg'
const TIMEOUT_MS = 600_000
/** A JPEG of the largest frame is smaller. */
const MAX_BYTES = 32 * 1024 ** 2

/** Makes an image of one frame out of its segment. */
export const runPoster: RunTask<'poster'> = async (spec, context) => {
	const startedAt = performance.now()
	const { programs, threads, workDir, signal, outputs } = context
	const segment = join(workDir, 'segment.mp4')
	await appendObjects(segment, spec.video, context, () => {})
	const { value: poster } = await runFfmpeg(
		{
			programs,
			args: buildPosterArgs(spec, segment, threads),
			access: { workDir, readable: [segment] },
			signal,
			timeoutMs: TIMEOUT_MS,
			pipes: 1,
		},
		([image]) => readAll(image as Readable, MAX_BYTES),
	)
	if (poster.length === 0) throw new Error(`the segment has no frame ${spec.frame}`)
	await outputs.put(POSTER, poster)
	await outputs.flush()
	return {
		kind: 'poster',
		poster: { name: POSTER, bytes: poster.length },
		workSec: (performance.now() - startedAt) / 1_000,
		mediaSec: spec.fps.den / spec.fps.num,
		hwAccelUsed: false,
		notes: [],
	}
}

/** Selects the frame between half a frame before and half a frame after its time, so that rounding selects no neighbor. */
function buildPosterArgs({ fps, frame, width, height }: PosterSpec, path: string, threads: number): string[] {
	const [from, to] = [frame - 0.5, frame + 0.5].map((edge) =>
		(START_OFFSET_SEC + (edge * fps.den) / fps.num).toFixed(6),
	)
	const filters = [
		`trim=start=${from}:end=${to}`,
		`scale=${width}:${height}:${JPEG_COLORS}`,
		...['setsar=1', 'format=yuvj420p[poster]'],
	]
	return [
		...['-threads', String(threads), '-copyts', ...buildInputArgs(path)],
		...['-filter_complex', `[0:0]${filters.join(',')}`, '-map', '[poster]', '-frames:v', '1'],
		...[
			'-c:v',
			'mjpeg',
			'-q:v',
			'3',
			'-map_metadata',
			'-1',
			'-fflags',
			'+bitexact',
			'-f',
			'image2pipe',
			'pipe:3',
		],
	]
}
