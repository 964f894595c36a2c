import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { randomFrom } from '../random.ts'

const RATE = 16_000
const BYTES_PER_SAMPLE = 2
/** About −60 dB below full scale, as in a quiet room. */
const ROOM_NOISE = 50

export type Spoken = { text: string; pauseSec: number }
/** When a voice begins to speak each sentence. */
export type SpokenClip = { path: string; seconds: number; starts: number[] }

/** Whether this ffmpeg can speak. */
export const canSpeak = (ffmpeg: string): boolean => {
	try {
		return / flite /.test(execFileSync(ffmpeg, ['-hide_banner', '-filters'], { encoding: 'utf8' }))
	} catch {
		return false
	}
}

/** Makes a video in which a voice speaks sentences, each after a pause of known length. */
export function makeSpokenClip(ffmpeg: string, dir: string, sentences: readonly Spoken[]): SpokenClip {
	const parts: Buffer[] = []
	const starts: number[] = []
	const spoken = new Map<string, Buffer>()
	let samples = 0
	const add = (part: Buffer) => {
		parts.push(part)
		samples += part.length / BYTES_PER_SAMPLE
	}
	const pause = (seconds: number) => add(Buffer.alloc(Math.round(seconds * RATE) * BYTES_PER_SAMPLE))
	for (const { text, pauseSec } of sentences) {
		pause(pauseSec)
		starts.push(samples / RATE)
		const voice = spoken.get(text) ?? speak(ffmpeg, text)
		spoken.set(text, voice)
		add(voice)
	}
	pause(1)
	const sound = Buffer.concat(parts)
	const random = randomFrom(1)
	for (let at = 0; at < sound.length; at += BYTES_PER_SAMPLE) {
		const value = sound.readInt16LE(at) + Math.round((random() * 2 - 1) * ROOM_NOISE)
		sound.writeInt16LE(Math.max(-32_768, Math.min(32_767, value)), at)
	}
	const seconds = samples / RATE
	const path = join(dir, 'spoken.mp4')
	encode(ffmpeg, path, seconds, ['-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', 'pipe:0'], sound)
	return { path, seconds, starts }
}

/** Makes a video with even noise, in which nobody speaks. */
export function makeNoiseClip(ffmpeg: string, dir: string, seconds: number): string {
	const path = join(dir, 'noise.mp4')
	const noise = `anoisesrc=r=${RATE}:a=0.1:d=${seconds}:seed=1`
	encode(ffmpeg, path, seconds, ['-f', 'lavfi', '-i', noise])
	return path
}

function speak(ffmpeg: string, text: string): Buffer {
	const voice = `flite=voice=rms:text='${text}'`
	const output = ['-ar', String(RATE), '-ac', '1', '-f', 's16le', 'pipe:1']
	return execFileSync(ffmpeg, ['-v', 'error', '-f', 'lavfi', '-i', voice, ...output], {
		maxBuffer: 64 * 1024 ** 2,
	})
}

function encode(ffmpeg: string, path: string, seconds: number, sound: string[], input?: Buffer): void {
	const picture = ['-f', 'lavfi', '-i', `color=c=gray:s=320x180:r=10:d=${seconds.toFixed(3)}`]
	const codecs = [
		'-c:v',
		'libx264',
		'-preset',
		'ultrafast',
		'-pix_fmt',
		'yuv420p',
		'-c:a',
		'aac',
		'-b:a',
		'96k',
	]
	execFileSync(ffmpeg, ['-v', 'error', '-y', ...picture, ...sound, ...codecs, path], input && { input })
}
