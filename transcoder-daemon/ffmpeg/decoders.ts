import { join } from 'node:path'
import { execa } from 'execa'
import { buildTrialArgs, TRIAL_FRAMES, type Trial } from './encoders.ts'
import { TRIAL_MS, type TrialDeps, type TrialOutcome, tryFrames } from './trial.ts'
import {
	buildHardwareInput,
	canShareMemory,
	type HardwareDecoder,
	hardwareDecoders,
	hardwareScalers,
} from './video-args.ts'

export type DecoderTrial = TrialOutcome & { decoder: HardwareDecoder }

type Encoder = Pick<Trial, 'encoder' | 'device'>

/**
 * Decodes and scales a few frames on each hardware type that also encodes here, for an encoder in the same memory and
 * for a storyboard sheet, as in a task.
 */
export async function proveDecoders(deps: TrialDeps, encoders: readonly Encoder[]): Promise<DecoderTrial[]> {
	const candidates = hardwareDecoders.flatMap((decoder) => {
		const partner = encoders.find(({ encoder }) => canShareMemory(decoder, encoder))
		return partner ? [{ decoder, partner }] : []
	})
	const sampleEncoder = encoders.find(({ encoder }) => encoder.includes('264'))
	if (candidates.length === 0 || !sampleEncoder) return []
	const listed = await listMethods(deps)
	const tried = candidates.filter(({ decoder }) => listed.has(decoder))
	if (tried.length === 0) return []
	const sample = join(deps.workDir, 'sample.h264')
	const output = ['-bf', '0', '-f', 'h264', sample]
	const made = await tryFrames(
		buildTrialArgs(sampleEncoder.encoder, sampleEncoder.device, output),
		TRIAL_FRAMES,
		deps,
	)
	const trials: DecoderTrial[] = []
	for (const { decoder, partner } of tried) {
		const args = decoderTrialArgs(decoder, partner, sample)
		trials.push({ decoder, ...(made.proved ? await tryFrames(args, TRIAL_FRAMES, deps) : made) })
	}
	return trials
}

const decoderTrialArgs = (
	decoder: HardwareDecoder,
	{ encoder, device }: Encoder,
	input: string,
): string[] => [
	...buildHardwareInput(decoder, device),
	...['-f', 'h264', '-i', input, '-filter_complex'],
	`[0:v]split[a][b];[a]${hardwareScalers[decoder]}=w=480:h=270:format=nv12[v];[b]hwdownload,format=nv12[sheet]`,
	...['-map', '[v]', '-c:v', encoder, '-f', 'null', '-'],
	...['-map', '[sheet]', '-c:v', 'rawvideo', '-f', 'null', '-'],
]

async function listMethods({ programs, signal }: TrialDeps): Promise<ReadonlySet<string>> {
	const { stdout } = await execa(programs.ffmpeg, ['-hide_banner', '-hwaccels'], {
		stdin: 'ignore',
		timeout: TRIAL_MS,
		killSignal: 'SIGKILL',
		cancelSignal: signal,
		reject: false,
	})
	return new Set(stdout.split('\n').map((line) => line.trim()))
}
