import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Rational } from '#schema/contract/media-info.ts'
import { START_OFFSET_SEC } from '#schema/contract/tasks.ts'
import { inputArgs } from '../ffmpeg/input.ts'
import { readAll, runFfmpeg, runFfprobe } from '../ffmpeg/run.ts'
import { samplesIn } from '../ffmpeg/segments.ts'
import type { RunTask, TaskContext } from './task.ts'

const LIMIT_MS = 3_600_000
/** Segments on their way at once: enough to hide the wait for each, few enough to hold in memory. */
const AHEAD = 4
/** Of how long it takes: fetching, joining, and the way up. */
const SHARE = { fetched: 0.6, joined: 0.8 }

export const download: RunTask<'download'> = async ({ rung, fps, video, audio }, context) => {
	const begun = performance.now()
	let fetched = 0
	const gather = async (name: string, urls: readonly string[]) => {
		const path = join(context.workDir, name)
		const samples = await gatherObjects(path, urls, context, () =>
			context.progress((SHARE.fetched * ++fetched) / (video.length + audio.length)),
		)
		return { path, samples }
	}
	const picture = await gather('picture.mp4', video)
	const sound = audio.length > 0 ? await gather('sound.mp4', audio) : null
	const file = join(context.workDir, `${rung}.mp4`)
	await joinStreams([picture, ...(sound ? [sound] : [])], file, context)
	const frames = picture.samples
	await demandWhole(file, { frames, fps, hasSound: sound !== null }, context)
	context.progress(SHARE.joined)
	const { bytes, parts } = await context.outputs.putInParts(file)
	await context.outputs.settled()
	return {
		...{ kind: 'download', file: { name: `${rung}.mp4`, bytes }, parts },
		workSec: (performance.now() - begun) / 1_000,
		mediaSec: (frames * fps.den) / fps.num,
		hwAccelUsed: false,
		notes: [],
	}
}

/** One behind the other in a file, fetched a few ahead of where it is written. Answers how many samples they are. */
async function gatherObjects(
	path: string,
	urls: readonly string[],
	{ fetchObject, signal }: TaskContext,
	onObject: () => void,
): Promise<number> {
	await using file = await open(path, 'w')
	let samples = 0
	const ahead: Promise<Buffer>[] = []
	for (let next = 0; next < urls.length || ahead.length > 0; ) {
		signal.throwIfAborted()
		while (ahead.length < AHEAD && next < urls.length) {
			const object = fetchObject(urls[next++] ?? '')
			// Who fails before its turn is heard when it comes.
			object.catch(() => {})
			ahead.push(object)
		}
		const bytes = await ahead.shift()
		if (!bytes) continue
		samples += samplesIn(bytes).length
		await file.writeFile(bytes)
		onObject()
	}
	return samples
}

/** Times are kept as they are, so that picture and sound stay together; an edit list hides what is before 0. */
async function joinStreams(
	streams: readonly { path: string }[],
	file: string,
	{ programs, signal, workDir }: TaskContext,
): Promise<void> {
	const inputs = streams.map(({ path }) => path)
	await runFfmpeg(
		{
			...{ programs, signal, timeoutMs: LIMIT_MS, access: { workDir, readable: inputs } },
			args: [
				...['-copyts', ...inputs.flatMap((input) => inputArgs(input))],
				...inputs.flatMap((_, input) => ['-map', `${input}:0`]),
				...['-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1'],
				...['-output_ts_offset', String(-START_OFFSET_SEC), '-avoid_negative_ts', 'disabled'],
				...['-movflags', '+faststart', '-f', 'mp4', `file:${file}`],
			],
		},
		async () => {},
	)
}

const Made = z.object({
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
/** A frame of AAC is 21 ms, and one more may be spent on its beginning. */
const SOUND_SLACK_SEC = 0.1

type Wanted = { frames: number; fps: Rational; hasSound: boolean }

/** ffmpeg may have ended well and left half of it out. */
async function demandWhole(
	file: string,
	{ frames, fps, hasSound }: Wanted,
	{ programs, signal, workDir }: TaskContext,
): Promise<void> {
	const access = { workDir, readable: [file] }
	const args = [
		...inputArgs(file),
		'-show_entries',
		'stream=codec_type,start_time,duration,nb_frames',
		'-of',
		'json',
	]
	const { value } = await runFfprobe({ programs, signal, access, args, timeoutMs: LIMIT_MS }, (stdout) =>
		readAll(stdout, MAX_DESCRIPTION_BYTES),
	)
	const { streams } = Made.parse(JSON.parse(value.toString('utf8')))
	const [picture, sound] = streams
	const frameSec = fps.den / fps.num
	const is = (value: number | undefined, wanted: number, slack: number) =>
		value !== undefined && Math.abs(value - wanted) <= slack
	const isWhole =
		picture?.nb_frames === frames &&
		is(picture.start_time, 0, frameSec / 2) &&
		is(picture.duration, frames * frameSec, frameSec) &&
		(!hasSound || is(sound?.start_time, 0, SOUND_SLACK_SEC))
	if (!isWhole)
		throw new Error(`the file is not what its ${frames} frames should make: ${JSON.stringify(streams)}`)
}
