import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunTask } from './task.ts'

/** Recognizes the speech of one chunk. */
export const runTranscribe: RunTask<'transcribe'> = async (spec, context) => {
	const started = performance.now()
	const { speech, workDir, signal, fetchObject, deadlineSec } = context
	if (!speech || speech.name !== spec.engine)
		throw new Error(`this machine has no speech engine ${spec.engine}`)
	const audioPath = join(workDir, 'chunk.flac')
	await writeFile(audioPath, await fetchObject(spec.audio))
	context.progress(0.05)
	const { language, segments } = await speech.recognize({
		audioPath,
		language: spec.language,
		workDir,
		signal,
		timeoutMs: deadlineSec * 1_000,
		deadlineSec,
	})
	const isInside = ({ start }: { start: number }) => start <= spec.durationSec
	return {
		kind: 'transcribe',
		language: language ?? spec.language,
		segments: segments.filter(isInside),
		workSec: (performance.now() - started) / 1_000,
		mediaSec: spec.durationSec,
		hwAccelUsed: false,
		notes: [],
	}
}
