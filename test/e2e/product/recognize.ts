import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { assembleTranscript } from '../../../edge/ai/steps/transcript/assemble.ts'
import { cutSpeech } from '../../../transcoder-daemon/speech/cuts.ts'
import { readRecognition } from '../../../transcoder-daemon/speech/recognition-json.ts'
import { buildChunkArgs } from '../../../transcoder-daemon/speech/speech-args.ts'
import { findSpeech, readLoudness } from '../../../transcoder-daemon/speech/voice-activity.ts'
import { programs } from '../../transcoder-daemon/ffmpeg/programs.ts'
import { pocketsphinx } from './hearing-machine.ts'

/** A FLAC file, and the dictionary of the words that may come. */
type Sound = { sound: string; words: string }

/** Has pocketsphinx recognize a file at once; returns the text. */
export const recognizeWhole = ({ sound, words }: Sound): string =>
	recognize(sound, words)
		.segments.map(({ text }) => text)
		.join(' ')

/**
 * Has it recognize chunks, which are cut and joined as the product does; returns the text. With `isContinuous`, the
 * chunks are cut as if nobody paused.
 */
export async function recognizeInChunks(
	{ sound, words, durationMs }: Sound & { durationMs: number },
	{ isContinuous = false, ...chunkMs }: { minMs: number; maxMs: number; isContinuous?: boolean },
): Promise<string> {
	const samples = execFileSync(programs.ffmpeg, ['-v', 'error', '-i', sound, '-f', 's16le', 'pipe:1'], {
		maxBuffer: 2 ** 28,
	})
	const { speech } = findSpeech(await readLoudness(Readable.from([samples])))
	const cuts = cutSpeech(isContinuous ? [[0, durationMs]] : speech, durationMs, chunkMs)
	const dir = mkdtempSync(join(tmpdir(), 'playhouse-chunks-'))
	try {
		const chunks = cuts.map((cut, at) => {
			const path = join(dir, `${at}.flac`)
			execFileSync(programs.ffmpeg, ['-v', 'error', ...buildChunkArgs(cut, sound, path)])
			return { ...cut, ...recognize(path, words) }
		})
		const durationSec = durationMs / 1_000
		const { segments } = await assembleTranscript({ durationSec, speech, language: 'en', chunks })
		return segments.map(({ text }) => text).join(' ')
	} finally {
		rmSync(dir, { recursive: true, force: true })
	}
}

function recognize(sound: string, words: string) {
	const cwd = mkdtempSync(join(tmpdir(), 'playhouse-recognize-'))
	try {
		const options = { cwd, encoding: 'utf8' as const, maxBuffer: 2 ** 26 }
		return readRecognition(execFileSync(process.execPath, [pocketsphinx, sound, words], options))
	} finally {
		rmSync(cwd, { recursive: true, force: true })
	}
}
