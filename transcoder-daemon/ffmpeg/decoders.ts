import { execa } from 'execa'
import { listRenderNodes, TRIAL_MS, type TrialOutcome, tryFrames } from './trial.ts'
import { type HardwareDecoder, hardwareInput, hardwareScalers } from './video-args.ts'

const FRAMES = 12
const PICTURE = `testsrc2=size=640x360:rate=25:duration=${FRAMES / 25}`

export type DecoderTrial = TrialOutcome & {
	decoder: HardwareDecoder
	/** The device that worked, for decoders that need one. */
	device: string | null
}

/**
 * Decodes and scales a few frames on each supported kind of hardware and downloads them, as an encode of several rungs
 * does. Graphics cards that can't encode often can do this.
 */
export async function proveDecoders(
	ffmpeg: string,
	signal: AbortSignal,
	trialMs = TRIAL_MS,
): Promise<DecoderTrial[]> {
	const listed = await listMethods(ffmpeg, signal)
	const candidates = (Object.keys(hardwareScalers) as HardwareDecoder[]).filter((name) => listed.has(name))
	if (candidates.length === 0) return []
	const input = await encodeSample(ffmpeg, signal)
	const renderNodes = await listRenderNodes()
	const trials: DecoderTrial[] = []
	for (const decoder of candidates) {
		const none = { decoder, device: null, proved: false, hung: false, ms: 0 }
		let trial: DecoderTrial = { ...none, reason: 'no render node in /dev/dri' }
		for (const device of decoder === 'vaapi' ? renderNodes : [null]) {
			const expected = { frames: FRAMES, signal, trialMs, input }
			trial = { decoder, device, ...(await tryFrames(ffmpeg, trialArgs(decoder, device), expected)) }
			if (trial.proved) break
		}
		trials.push(trial)
	}
	return trials
}

const trialArgs = (decoder: HardwareDecoder, device: string | null): string[] => [
	...['-hide_banner', '-loglevel', 'error', '-nostats', '-progress', 'pipe:1'],
	...hardwareInput(decoder, device),
	...['-f', 'h264', '-i', 'pipe:0', '-frames:v', String(FRAMES)],
	...['-vf', `${hardwareScalers[decoder]}=w=320:h=180:format=nv12,hwdownload,format=nv12`, '-f', 'null', '-'],
]

async function encodeSample(ffmpeg: string, signal: AbortSignal): Promise<Uint8Array> {
	const args = ['-hide_banner', '-nostdin', '-loglevel', 'error', '-f', 'lavfi', '-i', PICTURE]
	const encode = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-bf', '0', '-f', 'h264', 'pipe:1']
	const { stdout } = await execa(ffmpeg, [...args, ...encode], {
		encoding: 'buffer',
		stdin: 'ignore',
		timeout: TRIAL_MS,
		killSignal: 'SIGKILL',
		cancelSignal: signal,
		reject: false,
	})
	return stdout
}

async function listMethods(ffmpeg: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
	const { stdout } = await execa(ffmpeg, ['-hide_banner', '-hwaccels'], {
		stdin: 'ignore',
		timeout: TRIAL_MS,
		killSignal: 'SIGKILL',
		cancelSignal: signal,
		reject: false,
	})
	return new Set(stdout.split('\n').map((line) => line.trim()))
}
