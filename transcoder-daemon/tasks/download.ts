import { join } from 'node:path'
import { z } from 'zod'
import type { Rational } from '#schema/contract/video/media-info.ts'
import { START_OFFSET_SEC } from '#schema/contract/video/tasks.ts'
import { buildInputArgs } from '../ffmpeg/input.ts'
import { readAll, runFfmpeg, runFfprobe } from '../ffmpeg/run.ts'
import { appendObjects } from './append-objects.ts'
import type { RunTask, TaskContext } from './task.ts'

const LIMIT_MS = 3_600_000
/** Progress once everything is fetched, and once it is joined; the upload follows. */
const SHARE = { fetched: 0.6, joined: 0.8 }

export const runDownload: RunTask<'download'> = async ({ rung, fps, video, audio }, context) => {
	const startedAt = performance.now()
	let fetched = 0
	const fetchAll = async (name: string, urls: readonly string[]) => {
		const path = join(context.workDir, name)
		const samples = await appendObjects(path, urls, context, () =>
			context.progress((SHARE.fetched * ++fetched) / (video.length + audio.length)),
		)
		return { path, samples }
	}
	const picture = await fetchAll('picture.mp4', video)
	const sound = audio.length > 0 ? await fetchAll('sound.mp4', audio) : null
	const file = join(context.workDir, `${rung}.mp4`)
	await joinStreams([picture, ...(sound ? [sound] : [])], file, context)
	const frames = picture.samples
	await requireComplete(file, { frames, fps, hasSound: sound !== null }, context)
	context.progress(SHARE.joined)
	const { bytes, parts } = await context.outputs.putInParts(file)
	await context.outputs.flush()
	return {
		kind: 'download',
		file: { name: `${rung}.mp4`, bytes },
		parts,
		workSec: (performance.now() - startedAt) / 1_000,
		mediaSec: (frames * fps.den) / fps.num,
		hwAccelUsed: false,
		notes: [],
	}
}

/** Keeps the timestamps, so that video and audio stay in sync; an edit list hides what lies before 0. */
async function joinStreams(
	streams: readonly { path: string }[],
	file: string,
	{ programs, signal, workDir }: TaskContext,
): Promise<void> {
	const inputs = streams.map(({ path }) => path)
	await runFfmpeg(
		{
			programs,
			signal,
			timeoutMs: LIMIT_MS,
			access: { workDir, readable: inputs },
			args: [
				...['-copyts', ...inputs.flatMap((input) => buildInputArgs(input))],
				...inputs.flatMap((_, input) => ['-map', `${input}:0`]),
				...['-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1'],
				...['-output_ts_offset', String(-START_OFFSET_SEC), '-avoid_negative_ts', 'disabled'],
				...['-movflags', '+faststart', '-f', 'mp4', `file:${file}`],
			],
		},
		async () => {},
	)
}

const ProbedFile = z.object({
	streams: z.array(
		z.object({
			codec_type: z.string(),
			start_time: z.coerce.number(),
			duration: z.coerce.number(),
			nb_frames: z.coerce.number(),
		}),
	),
})
const MAX_DESCRIPTION_BYTES = 100_000
/** An AAC frame lasts 21 ms, and encoder priming may take one more. */
const SOUND_SLACK_SEC = 0.1

type Expected = { frames: number; fps: Rational; hasSound: boolean }

/** Checks the file, because ffmpeg may succeed and still drop frames. */
async function requireComplete(
	file: string,
	{ frames, fps, hasSound }: Expected,
	{ programs, signal, workDir }: TaskContext,
): Promise<void> {
	const access = { workDir, readable: [file] }
	const args = [
		...buildInputArgs(file),
		'-show_entries',
		'stream=codec_type,start_time,duration,nb_frames',
		'-of',
		'json',
	]
	const { value } = await runFfprobe({ programs, signal, access, args, timeoutMs: LIMIT_MS }, (stdout) =>
		readAll(stdout, MAX_DESCRIPTION_BYTES),
	)
	const { streams } = ProbedFile.parse(JSON.parse(value.toString('utf8')))
	const [picture, sound] = streams
	const frameSec = fps.den / fps.num
	const isNear = (value: number | undefined, expected: number, slack: number) =>
		value !== undefined && Math.abs(value - expected) <= slack
	const isComplete =
		picture?.nb_frames === frames &&
		isNear(picture.start_time, 0, frameSec / 2) &&
		isNear(picture.duration, frames * frameSec, frameSec) &&
		(!hasSound || isNear(sound?.start_time, 0, SOUND_SLACK_SEC))
	if (!isComplete) throw new Error(`the file does not match its ${frames} frames: ${JSON.stringify(streams)}`)
}
