import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { TaskResultOf, TaskSpecOf } from '#schema/contract/tasks.ts'
import { splitJpegs } from '../ffmpeg/jpegs.ts'
import { readAll, runFfmpeg } from '../ffmpeg/run.ts'
import { landsOnKeyframes } from '../ffmpeg/seek-behavior.ts'
import {
	clipsOf,
	PREVIEW_FPS,
	posterArgs,
	previewArgs,
	type StillsRun,
	sheetsArgs,
	tilesIn,
} from '../ffmpeg/still-args.ts'
import { choosePicture, SAMPLE } from './poster.ts'
import { blameSource } from './source-fault.ts'
import { type RunTask, SourceError, type TaskContext } from './task.ts'

type StillsResult = TaskResultOf<'stills'>

const LIMIT_MS = 3_600_000
const MAX_JPEG_BYTES = 32 * 1024 ** 2
/** Where the length of a group of pictures is not known. */
const LONG_GOP_SEC = 12

export const stills: RunTask<'stills'> = async (spec, context) => {
	const begun = performance.now()
	if (context.sourcePath === null) throw new Error('stills was given no source')
	const run = {
		spec,
		sourcePath: context.sourcePath,
		prerollSec: await prerollSecFor(spec, context.sourcePath),
	}
	try {
		const { preview, posterSec } = await makePreview(run, context)
		context.progress(0.5)
		const poster = await makePoster(run, context, posterSec)
		context.progress(0.6)
		const sheets = await makeSheets(run, context)
		await context.outputs.settled()
		return {
			...{ kind: 'stills', poster, preview, sheets },
			workSec: (performance.now() - begun) / 1_000,
			mediaSec: spec.storyboard ? spec.durationSec : 3,
			hwAccelUsed: false,
			notes: [],
		}
	} catch (error) {
		throw blameSource(error)
	}
}

async function prerollSecFor({ video }: TaskSpecOf<'stills'>, path: string): Promise<number> {
	return (await landsOnKeyframes(path)) ? 0 : (video.longestGopSec ?? LONG_GOP_SEC) + 1
}

async function makePreview(
	run: StillsRun,
	context: TaskContext,
): Promise<{ preview: StillsResult['preview']; posterSec: number }> {
	const clips = clipsOf(run.spec.video)
	const name = 'preview.webp'
	const file = join(context.workDir, name)
	const pictures = Math.ceil(clips.reduce((sum, { sec }) => sum + sec, 0) * PREVIEW_FPS) + 2 * clips.length
	const args = previewArgs(run, clips, SAMPLE, file)
	const samples = await read(run, context, args, (pipe) =>
		readAll(pipe, pictures * SAMPLE.width * SAMPLE.height),
	)
	const chosen = choosePicture(samples)
	if (chosen === null)
		throw new SourceError('None of the pictures of this video could be read: it is damaged.')
	const { bytes } = await context.outputs.putFile(name, file)
	// Clips are of one length; a picture that a clip lacks puts those after it a tenth of a second off, which is no harm.
	const perClip = Math.max(1, Math.round(samples.length / SAMPLE.width / SAMPLE.height / clips.length))
	const clip = clips[Math.min(clips.length - 1, Math.floor(chosen / perClip))]
	return { preview: { name, bytes }, posterSec: (clip?.atSec ?? 0) + (chosen % perClip) / PREVIEW_FPS }
}

async function makePoster(
	run: StillsRun,
	context: TaskContext,
	atSec: number,
): Promise<StillsResult['poster']> {
	const jpeg = await read(run, context, posterArgs(run, atSec), (pipe) => readAll(pipe, MAX_JPEG_BYTES))
	if (jpeg.length === 0) throw new Error(`no picture at ${atSec} s, where one was seen`)
	await context.outputs.put('poster.jpg', jpeg)
	return { name: 'poster.jpg', bytes: jpeg.length }
}

async function makeSheets(run: StillsRun, context: TaskContext): Promise<StillsResult['sheets']> {
	const { storyboard } = run.spec
	if (!storyboard) return []
	const { columns, tilesPerSheet } = storyboard
	const rows = Math.ceil(tilesPerSheet / columns)
	const perSheet = rows * columns
	const wanted = tilesIn(storyboard)
	const sheets: StillsResult['sheets'] = []
	await read(run, context, sheetsArgs(run, storyboard), async (pipe) => {
		for await (const jpeg of splitJpegs(pipe, MAX_JPEG_BYTES)) {
			const name = `sheets/${sheets.length}.jpg`
			await context.outputs.put(name, jpeg)
			const tiles = Math.min(perSheet, wanted - sheets.length * perSheet)
			sheets.push({ name, bytes: jpeg.length, columns, rows, tiles })
		}
	})
	if (sheets.length !== Math.ceil(wanted / perSheet))
		throw new Error(`${sheets.length} sheets for ${wanted} small pictures`)
	return sheets
}

async function read<T>(
	{ sourcePath }: StillsRun,
	{ programs, signal, workDir }: TaskContext,
	args: readonly string[],
	take: (pipe: Readable) => Promise<T>,
): Promise<T> {
	const access = { workDir, readable: [sourcePath] }
	const launch = { programs, signal, access, args, pipes: 1, timeoutMs: LIMIT_MS }
	const { value } = await runFfmpeg(launch, ([pipe]) => take(pipe as Readable))
	return value
}
