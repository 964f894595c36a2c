import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { TaskResultByKind, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { ProgramError, readAll, runFfmpeg } from '../../ffmpeg/run.ts'
import { landsOnKeyframes } from '../../ffmpeg/seek-behavior.ts'
import {
	buildPreviewArgs,
	buildSheetsArgs,
	countTiles,
	planPreviewClips,
	type StillsRun,
} from '../../ffmpeg/still-args.ts'
import { encodingError, isProgramFailure } from '../source-errors.ts'
import { type RunTask, SourceError, type TaskContext } from '../task.ts'
import { choosePlaceholderSize, computePlaceholder } from './placeholder.ts'
import { chooseFrame, SAMPLE } from './poster.ts'

const START = Buffer.from([0xff, 0xd8, 0xff])
const END = Buffer.from([0xff, 0xd9])

/** Splits a stream of JPEGs at their end marker, which never occurs inside a JPEG of ffmpeg. */
async function* splitJpegs(stream: Readable, maxBytes: number): AsyncGenerator<Buffer> {
	let buffered = Buffer.alloc(0)
	let searched = 0
	for await (const chunk of stream) {
		buffered = Buffer.concat([buffered, chunk])
		for (let end = buffered.indexOf(END, searched); end >= 0; end = buffered.indexOf(END)) {
			const picture = buffered.subarray(0, end + END.length)
			if (!picture.subarray(0, START.length).equals(START)) throw new Error('an image is not a JPEG')
			yield picture
			buffered = buffered.subarray(picture.length)
		}
		searched = Math.max(0, buffered.length - 1)
		if (buffered.length > maxBytes) throw new Error(`an image exceeds ${maxBytes} bytes`)
	}
	if (buffered.length > 0) throw new Error('the last image is truncated')
}

type StillsResult = TaskResultByKind<'stills'>

const LIMIT_MS = 3_600_000
const MAX_JPEG_BYTES = 32 * 1024 ** 2
const MAX_POSTERS_BYTES = 128 * 1024 ** 2
const MAX_SAMPLES_BYTES = 1024 ** 2
const PREVIEW = 'preview.webp'
const POSTER = 'poster.jpg'
const NO_FRAMES = 'no frame of this video could be read: the file is damaged'
/** Assumed length of a group of pictures, where it is unknown. */
const LONG_GOP_SEC = 12

export const runStills: RunTask<'stills'> = async (spec, context) => {
	const startedAt = performance.now()
	if (context.sourcePath === null) throw new Error('stills needs a source')
	const run = {
		spec,
		sourcePath: context.sourcePath,
		prerollSec: await prerollSecFor(spec, context.sourcePath),
	}
	try {
		const pictures = await makePictures(run, context)
		context.progress(0.6)
		const sheets = await makeSheets(run, context)
		await context.outputs.flush()
		return {
			kind: 'stills',
			...pictures,
			sheets,
			workSec: (performance.now() - startedAt) / 1_000,
			mediaSec: spec.storyboard ? spec.durationSec : 3,
			hwAccelUsed: false,
			notes: [],
		}
	} catch (error) {
		throw encodingError(error)
	}
}

async function prerollSecFor({ video }: TaskSpecByKind<'stills'>, path: string): Promise<number> {
	return (await landsOnKeyframes(path)) ? 0 : (video.longestGopSec ?? LONG_GOP_SEC) + 1
}

/** Makes preview, poster and placeholder from the same frames: the poster is the most informative one. */
async function makePictures(
	run: StillsRun,
	context: TaskContext,
): Promise<Pick<StillsResult, 'preview' | 'poster' | 'placeholder'>> {
	const clips = planPreviewClips(run.spec.video)
	const small = choosePlaceholderSize(run.spec.poster)
	const file = join(context.workDir, PREVIEW)
	const args = buildPreviewArgs(run, clips, { sample: SAMPLE, small }, file)
	let samples: Buffer = Buffer.alloc(0)
	const posters: Buffer[] = []
	const smallPictures = await runStillsProgram(run, context, args, 3, async ([grey, jpegs, colored]) => {
		const [rgba] = await Promise.all([
			readAll(colored as Readable, MAX_SAMPLES_BYTES),
			readAll(grey as Readable, MAX_SAMPLES_BYTES).then((bytes) => {
				samples = bytes
			}),
			collectPosters(jpegs as Readable, posters),
		])
		return rgba
	}).catch((error: unknown) => {
		// Without any frame, ffmpeg fails to write its output, without another message.
		if (error instanceof ProgramError && isProgramFailure(error) && samples.length === 0)
			throw new SourceError(NO_FRAMES, error.stderr)
		throw error
	})
	const chosen = chooseFrame(samples) ?? 0
	const poster = posters[chosen]
	if (!poster) throw new SourceError(NO_FRAMES)
	await context.outputs.put(POSTER, poster)
	const { bytes } = await context.outputs.putFile(PREVIEW, file)
	return {
		preview: { name: PREVIEW, bytes },
		poster: { name: POSTER, bytes: poster.length },
		placeholder: computePlaceholder(smallPictures, small, chosen),
	}
}

async function collectPosters(stream: Readable, posters: Buffer[]): Promise<void> {
	let posterBytes = 0
	for await (const jpeg of splitJpegs(stream, MAX_JPEG_BYTES)) {
		posterBytes += jpeg.length
		if (posterBytes > MAX_POSTERS_BYTES) throw new Error('the posters exceed the memory limit')
		posters.push(Buffer.from(jpeg))
	}
}

async function makeSheets(run: StillsRun, context: TaskContext): Promise<StillsResult['sheets']> {
	const { storyboard } = run.spec
	if (!storyboard) return []
	const { columns, tilesPerSheet } = storyboard
	const rows = Math.ceil(tilesPerSheet / columns)
	const perSheet = rows * columns
	const tileCount = countTiles(storyboard)
	const sheets: StillsResult['sheets'] = []
	await runStillsProgram(run, context, buildSheetsArgs(run, storyboard), 1, async ([pipe]) => {
		for await (const jpeg of splitJpegs(pipe as Readable, MAX_JPEG_BYTES)) {
			const name = `sheets/${sheets.length}.jpg`
			await context.outputs.put(name, jpeg)
			const tiles = Math.min(perSheet, tileCount - sheets.length * perSheet)
			sheets.push({ name, bytes: jpeg.length, columns, rows, tiles })
		}
	})
	if (sheets.length !== Math.ceil(tileCount / perSheet))
		throw new Error(`the storyboard has ${sheets.length} sheets for ${tileCount} thumbnails`)
	return sheets
}

async function runStillsProgram<T>(
	{ sourcePath }: StillsRun,
	{ programs, signal, workDir }: TaskContext,
	args: readonly string[],
	pipes: number,
	read: (pipes: readonly Readable[]) => Promise<T>,
): Promise<T> {
	const access = { workDir, readable: [sourcePath] }
	const { value } = await runFfmpeg({ programs, signal, access, args, pipes, timeoutMs: LIMIT_MS }, read)
	return value
}
