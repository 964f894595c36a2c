import { join } from 'node:path'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import type { LocalConfig } from '../config.ts'
import { type DecoderTrial, proveDecoders } from '../ffmpeg/decoders.ts'
import { proveEncoders, type Trial } from '../ffmpeg/encoders.ts'
import { readFfmpegVersion } from '../ffmpeg/version.ts'
import { kindOf, readHardware, slotsFor } from './machine.ts'
import { rememberTrials } from './trial-memory.ts'

export type Findings = {
	capabilities: MachineCapabilities
	trials: Trial[]
	decoderTrials: DecoderTrial[]
	/** Device by encoder or hardware decoder, for those that need one. */
	devices: Readonly<Record<string, string>>
}

type Abilities = Pick<LocalConfig, 'slots' | 'codecs' | 'dataDir' | 'remembersTrials'>

/** Determines what the machine can do, with the trials as evidence. Takes seconds: ffmpeg runs once per encoder. */
export async function findCapabilities(
	ffmpeg: string,
	{ slots, codecs, dataDir, remembersTrials }: Abilities,
	signal: AbortSignal,
): Promise<Findings> {
	const ffmpegVersion = await readFfmpegVersion(ffmpeg, signal)
	const tryAll = async () => ({
		trials: await proveEncoders(ffmpeg, signal, codecs),
		decoderTrials: await proveDecoders(ffmpeg, signal),
	})
	const { trials, decoderTrials } = remembersTrials
		? await rememberTrials(join(dataDir, 'trials.json'), ffmpeg, codecs, tryAll)
		: await tryAll()
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

/** Whether the machine can encode H.264, which every video needs. */
export const canWork = ({ encoders }: MachineCapabilities): boolean =>
	encoders.some((name) => name.startsWith('h264_') || name === 'libx264')
