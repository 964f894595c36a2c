import { execa } from 'execa'
import { VideoCodec } from '#schema/contract/video/tasks.ts'
import { listRenderNodes } from '../machine/devices.ts'
import { findEncoderFamily, softwareEncoders } from './encoder-args.ts'
import { TRIAL_MS, type TrialDeps, type TrialOutcome, tryFrames } from './trial.ts'

export const TRIAL_FRAMES = 12
/** Larger than the minimum picture size of any hardware encoder. */
const PICTURE = `testsrc2=size=640x360:rate=25:duration=${TRIAL_FRAMES / 25}`

export type Trial = TrialOutcome & {
	encoder: string
	/** The device that worked, for encoders that need one. */
	device: string | null
}

/** In order of preference: hardware first. */
const candidates: Readonly<Record<VideoCodec, readonly string[]>> = {
	h264: ['h264_nvenc', 'h264_qsv', 'h264_vaapi', 'h264_videotoolbox', softwareEncoders.h264],
	hevc: ['hevc_nvenc', 'hevc_qsv', 'hevc_vaapi', 'hevc_videotoolbox', softwareEncoders.hevc],
	av1: ['av1_nvenc', 'av1_qsv', 'av1_vaapi', softwareEncoders.av1],
}

/**
 * Encodes a few frames with each listed encoder and counts the output. The list shows only how ffmpeg was built: the
 * driver, the hardware encoder or a free session may be missing. Hardware encoders run one at a time, since consumer
 * cards allow few sessions; software encoders run meanwhile.
 */
export async function proveEncoders(
	deps: TrialDeps,
	codecs: readonly VideoCodec[] = VideoCodec.options,
): Promise<Trial[]> {
	const listed = await listEncoders(deps)
	const candidatesToTry = codecs
		.flatMap((codec) => candidates[codec])
		.filter((encoder) => listed.has(encoder))
	const isSoftware = (encoder: string) => findEncoderFamily(encoder) === 'software'
	const trials = await Promise.all([
		tryHardware(
			candidatesToTry.filter((encoder) => !isSoftware(encoder)),
			deps,
		),
		...candidatesToTry.filter(isSoftware).map(async (encoder) => [await tryEncoder(encoder, null, deps)]),
	])
	return trials
		.flat()
		.toSorted((a, b) => candidatesToTry.indexOf(a.encoder) - candidatesToTry.indexOf(b.encoder))
}

async function tryHardware(encoders: readonly string[], deps: TrialDeps): Promise<Trial[]> {
	const renderNodes = await listRenderNodes()
	const trials: Trial[] = []
	for (const encoder of encoders) {
		let trial: Trial = { ...untried(encoder), reason: 'no render node in /dev/dri' }
		const hung = trials.find(
			(other) => other.hung && findEncoderFamily(other.encoder) === findEncoderFamily(encoder),
		)
		// A hanging driver would delay the start again for each codec.
		if (hung) trial = { ...untried(encoder), reason: `not tried, as ${hung.encoder} ${hung.reason}` }
		else
			for (const device of encoder.endsWith('_vaapi') ? renderNodes : [null]) {
				trial = await tryEncoder(encoder, device, deps)
				if (trial.proved) break
			}
		trials.push(trial)
	}
	return trials
}

const untried = (encoder: string) => ({ encoder, proved: false, hung: false, ms: 0, device: null })

/** Returns arguments that encode a few frames. Without an output, they are discarded. */
export function buildTrialArgs(
	encoder: string,
	device: string | null,
	output: readonly string[] = ['-f', 'null', '-'],
): string[] {
	const vaapi = encoder.endsWith('_vaapi')
	return [
		...(device ? ['-vaapi_device', device] : []),
		...['-f', 'lavfi', '-i', PICTURE, '-frames:v', String(TRIAL_FRAMES)],
		...['-vf', vaapi ? 'format=nv12,hwupload' : encoder.endsWith('_qsv') ? 'format=nv12' : 'format=yuv420p'],
		// libx265 ignores ffmpeg's log level; the first error line is the reported reason.
		...(encoder === softwareEncoders.hevc ? ['-x265-params', 'log-level=error'] : []),
		...['-c:v', encoder, ...output],
	]
}

const tryEncoder = async (encoder: string, device: string | null, deps: TrialDeps): Promise<Trial> => ({
	encoder,
	device,
	...(await tryFrames(buildTrialArgs(encoder, device), TRIAL_FRAMES, deps)),
})

async function listEncoders({ programs, signal }: TrialDeps): Promise<ReadonlySet<string>> {
	const { stdout } = await execa(programs.ffmpeg, ['-hide_banner', '-encoders'], {
		stdin: 'ignore',
		timeout: TRIAL_MS,
		killSignal: 'SIGKILL',
		cancelSignal: signal,
	})
	return new Set([...stdout.matchAll(/^ V\S{5} (\S+)/gm)].map((match) => match[1] ?? ''))
}
