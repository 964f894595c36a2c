import type { MachineCapabilities } from '#schema/contract/fleet.ts'
import type { LocalConfig } from './config.ts'
import { type DecoderTrial, proveDecoders } from './ffmpeg/decoders.ts'
import { proveEncoders, type Trial } from './ffmpeg/encoders.ts'
import { readFfmpegVersion } from './ffmpeg/version.ts'
import { kindOf, readHardware, slotsFor } from './machine.ts'

export type Findings = {
	capabilities: MachineCapabilities
	trials: Trial[]
	decoderTrials: DecoderTrial[]
	/** By the name of an encoder or a way of decoding, for those that are told one. */
	devices: Readonly<Record<string, string>>
}

/** What the machine is able to do, and the trials that say so. Takes seconds: ffmpeg is run for each encoder. */
export async function findCapabilities(
	ffmpeg: string,
	{ slots, codecs }: Pick<LocalConfig, 'slots' | 'codecs'>,
	signal: AbortSignal,
): Promise<Findings> {
	const ffmpegVersion = await readFfmpegVersion(ffmpeg, signal)
	const trials = await proveEncoders(ffmpeg, signal, codecs)
	const decoderTrials = await proveDecoders(ffmpeg, signal)
	const encoders = trials.filter((trial) => trial.proved).map((trial) => trial.encoder)
	const kind = kindOf(encoders)
	const hardware = readHardware()
	const capabilities = {
		kind,
		...hardware,
		ffmpegVersion,
		encoders,
		decoders: decoderTrials.filter((trial) => trial.proved).map((trial) => trial.decoder),
		slots: slots ?? slotsFor(hardware, kind),
	}
	return { capabilities, trials, decoderTrials, devices: devicesIn(trials, decoderTrials) }
}

function devicesIn(trials: readonly Trial[], decoderTrials: readonly DecoderTrial[]): Record<string, string> {
	const named = [
		...trials.map(({ encoder, device, proved }) => ({ name: encoder, device, proved })),
		...decoderTrials.map(({ decoder, device, proved }) => ({ name: decoder, device, proved })),
	]
	return Object.fromEntries(
		named.flatMap(({ name, device, proved }) => (proved && device ? [[name, device]] : [])),
	)
}

/** Every video is made in H.264; whoever can't make it is of little use to the fleet. */
export const canWork = ({ encoders }: MachineCapabilities): boolean =>
	encoders.some((name) => name.startsWith('h264_') || name === 'libx264')
