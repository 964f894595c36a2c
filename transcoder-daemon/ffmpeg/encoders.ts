import { execa } from 'execa'
import { listRenderNodes, type Outcome, TRIAL_MS, tryFrames } from './trial.ts'

const FRAMES = 12
/** Above the smallest picture that any hardware encoder takes. */
const PICTURE = `testsrc2=size=640x360:rate=25:duration=${FRAMES / 25}`

export type Trial = Outcome & {
	encoder: string
	/** The device that worked, for encoders that are told one. */
	device: string | null
}

/** In the order of preference within a codec: hardware first. */
const candidates = [
	'h264_nvenc',
	'h264_qsv',
	'h264_vaapi',
	'h264_videotoolbox',
	'libx264',
	'hevc_nvenc',
	'hevc_qsv',
	'hevc_vaapi',
	'hevc_videotoolbox',
	'libx265',
	'av1_nvenc',
	'av1_qsv',
	'av1_vaapi',
	'libsvtav1',
] as const

/**
 * Encodes a few frames with each encoder and counts what comes out. That ffmpeg lists an encoder says only how it
 * was built: the driver may be missing, the card may have no encoder, its sessions may be used up. One after the
 * other, because consumer cards allow few sessions at once.
 */
export async function proveEncoders(
	ffmpeg: string,
	signal: AbortSignal,
	trialMs = TRIAL_MS,
): Promise<Trial[]> {
	const listed = await listEncoders(ffmpeg, signal)
	const renderNodes = await listRenderNodes()
	const trials: Trial[] = []
	for (const encoder of candidates) {
		if (!listed.has(encoder)) continue
		let trial: Trial = { encoder, proved: false, ms: 0, reason: 'no render node in /dev/dri', device: null }
		for (const device of encoder.endsWith('_vaapi') ? renderNodes : [null]) {
			trial = await tryEncoder(ffmpeg, encoder, device, signal, trialMs)
			if (trial.proved) break
		}
		trials.push(trial)
	}
	return trials
}

export function trialArgs(encoder: string, device: string | null): string[] {
	const vaapi = encoder.endsWith('_vaapi')
	return [
		...['-hide_banner', '-nostdin', '-loglevel', 'error', '-nostats', '-progress', 'pipe:1'],
		...(device ? ['-vaapi_device', device] : []),
		...['-f', 'lavfi', '-i', PICTURE, '-frames:v', String(FRAMES)],
		...['-vf', vaapi ? 'format=nv12,hwupload' : encoder.endsWith('_qsv') ? 'format=nv12' : 'format=yuv420p'],
		...['-c:v', encoder, '-f', 'null', '-'],
	]
}

const tryEncoder = async (
	ffmpeg: string,
	encoder: string,
	device: string | null,
	signal: AbortSignal,
	trialMs: number,
): Promise<Trial> => ({
	encoder,
	device,
	...(await tryFrames(ffmpeg, trialArgs(encoder, device), { frames: FRAMES, signal, trialMs })),
})

async function listEncoders(ffmpeg: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
	const { stdout } = await execa(ffmpeg, ['-hide_banner', '-encoders'], {
		stdin: 'ignore',
		timeout: TRIAL_MS,
		killSignal: 'SIGKILL',
		cancelSignal: signal,
	})
	return new Set([...stdout.matchAll(/^ V\S{5} (\S+)/gm)].map((match) => match[1] ?? ''))
}
