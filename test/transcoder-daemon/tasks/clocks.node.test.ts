/** @module-tag ffmpeg */

import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findFirstGridFrame } from '../../../transcoder-daemon/ffmpeg/video-args.ts'
import { runAudio } from '../../../transcoder-daemon/tasks/audio.ts'
import { runInspect } from '../../../transcoder-daemon/tasks/inspect.ts'
import { strip } from '../../support/shared/frame-numbers.ts'
import { encodeOnce } from '../../support/shared/media-cache.ts'
import { chunksAt, encodeChunks, joinStream, readNumbers } from '../corpus/encoded.ts'
import { programs, temporaryFolder } from '../ffmpeg/programs.ts'
import { MemoryOutputs, taskContext } from './task-context.ts'
import { decodeSound, tonesIn } from './tones.ts'

const folder = await temporaryFolder()
afterAll(() => folder[Symbol.asyncDispose]())

const FPS = 25
const SECONDS = 4
const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-g', '30', '-c:a', 'aac'] as const
const encoders = {
	// Like a file cut out of a broadcast.
	ts: ['-output_ts_offset', '37.5', ...x264],
	flv: x264,
	mpg: ['-c:v', 'mpeg2video', '-q:v', '2', '-g', '15', '-c:a', 'mp2'],
	mkv: x264,
} as const

/** Makes a video with numbered frames and a tone at each second of the audio. */
async function make(container: keyof typeof encoders, pictureSec: number, soundSec: number): Promise<string> {
	const path = join(folder.path, `${pictureSec}-${soundSec}.${container}`)
	const tone = 'if(lt(mod(t\\,1)\\,0.05)\\,0.5*sin(2*PI*1000*t)\\,0)'
	const shifted = `[0]${strip.join(',')},setpts=PTS+${pictureSec}/TB[v];[1]asetpts=PTS+${soundSec}/TB[a]`
	const encode = [
		...['-f', 'lavfi', '-i', `testsrc2=size=320x180:rate=${FPS}:duration=${SECONDS}`],
		...['-f', 'lavfi', '-i', `aevalsrc=exprs=${tone}:s=48000:d=${SECONDS}`],
		...['-filter_complex', shifted, '-map', '[v]', '-map', '[a]'],
		...['-pix_fmt', 'yuv420p', '-vsync', 'passthrough', ...encoders[container]],
	]
	await encodeOnce(programs.ffmpeg, encode, path)
	return path
}

test.each([
	['ts', 0, 0],
	['ts', 0.5, 0],
	['ts', 0, 0.7],
	['mpg', 0.5, 0],
	['mpg', 0, 0.7],
	['flv', 0.5, 0],
	['mkv', 0.5, 0],
] as const)(
	'video and audio stay in sync in a .%s with video from %d s and audio from %d s',
	async (container, pictureSec, soundSec) => {
		const path = await make(container, pictureSec, soundSec)
		const { info } = await runInspect({ kind: 'inspect', maxDurationSec: 60 }, taskContext(path, folder.path))
		const [source] = info.audio
		if (!info.video || !source) throw new Error('the video or the audio was not found')

		// Later chunks begin with a seek.
		const { files } = await encodeChunks(chunksAt(info.video, [0, 40, 80], 1), path, folder.path)
		const first = findFirstGridFrame(info.video, info.video.frameRate)
		const numbers = await readNumbers(files[0] ?? '', folder.path)
		const repeats = Array.from({ length: first }, () => 0)
		expect(numbers).toEqual([...repeats, ...Array.from({ length: FPS * SECONDS }, (_, number) => number)])

		const outputs = new MemoryOutputs()
		const result = await runAudio(
			{
				kind: 'audio',
				tracks: [{ id: 'a0', source, bitrateKbps: 128, sampleRate: 48_000, channels: 2, isCopied: false }],
				...{
					segment: { num: 1, den: 1 },
					durationSec: numbers.length / FPS,
					playback: null,
					ai: null,
					filesOnly: false,
				},
			},
			taskContext(path, folder.path, { outputs }),
		)
		const sound = await joinStream(outputs, 'a0', result.tracks[0]?.segments.length ?? 0, folder.path)
		const [tone = 0] = tonesIn(await decodeSound(sound, folder.path))
		const offsetSec = tone - first / FPS - (soundSec - pictureSec)
		expect(Math.abs(offsetSec), `${offsetSec.toFixed(3)} s apart`).toBeLessThan(1 / FPS + 0.005)
	},
)
