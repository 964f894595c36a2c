import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { SpeechChunk, TaskSpecByKind } from '#schema/contract/video/tasks.ts'
import { runFfmpeg } from '../ffmpeg/run.ts'
import { type Cut, cutSpeech } from '../speech/cuts.ts'
import { buildChunkArgs, buildSpeechArgs } from '../speech/speech-args.ts'
import { findSpeech, readLoudness } from '../speech/voice-activity.ts'
import { encodingError } from './source-errors.ts'
import type { RunTask, TaskContext } from './task.ts'

const TIMEOUT_MS = 12 * 3_600_000
const DECODE_SHARE = 0.8
const SOUND = 'sound.flac'

/** Decodes the audio once, finds speech by loudness, and stores it in chunks. */
export const runSpeechPlan: RunTask<'speech-plan'> = async (spec, context) => {
	const started = performance.now()
	try {
		const { speech, loudness } = findSpeech(await decode(spec, context))
		const chunkMs = { minMs: spec.chunkSec.min * 1_000, maxMs: spec.chunkSec.max * 1_000 }
		const cuts = cutSpeech(speech, Math.floor(spec.durationSec * 1_000), chunkMs)
		const chunks: SpeechChunk[] = []
		for (const [index, cut] of cuts.entries()) {
			chunks.push(await storeChunk(index, cut, context))
			context.progress(DECODE_SHARE + ((1 - DECODE_SHARE) * (index + 1)) / cuts.length)
		}
		await context.outputs.flush()
		return {
			kind: 'speech-plan',
			chunks,
			speech: cuts.length === 0 ? [] : speech,
			loudness,
			workSec: (performance.now() - started) / 1_000,
			mediaSec: spec.durationSec,
			hwAccelUsed: false,
			notes: [],
		}
	} catch (error) {
		context.signal.throwIfAborted()
		throw encodingError(error)
	}
}

/** Writes the sound to a file, and returns its loudness. */
async function decode(spec: TaskSpecByKind<'speech-plan'>, context: TaskContext): Promise<Float32Array> {
	const { programs, workDir, signal, progress, sourcePath } = context
	if (sourcePath === null) throw new Error('speech needs a source')
	const { value } = await runFfmpeg(
		{
			programs,
			args: buildSpeechArgs(spec, sourcePath, join(workDir, SOUND)),
			access: { workDir, readable: [sourcePath] },
			signal,
			timeoutMs: TIMEOUT_MS,
			pipes: 1,
			onProgress: ({ outTimeSec }) => progress(DECODE_SHARE * Math.min(1, outTimeSec / spec.durationSec)),
		},
		([samples]) => readLoudness(samples as Readable),
	)
	return value
}

async function storeChunk(index: number, cut: Cut, context: TaskContext): Promise<SpeechChunk> {
	const { programs, workDir, signal, outputs } = context
	const name = `chunk-${index}.flac`
	const sound = join(workDir, SOUND)
	await runFfmpeg(
		{
			programs,
			args: buildChunkArgs(cut, sound, join(workDir, name)),
			access: { workDir, readable: [sound] },
			signal,
			timeoutMs: TIMEOUT_MS,
		},
		async () => {},
	)
	const { bytes } = await outputs.putFile(name, join(workDir, name))
	return { file: { name, bytes }, ...cut }
}
