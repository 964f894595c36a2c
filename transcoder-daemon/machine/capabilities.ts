import { join } from 'node:path'
import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import type { LocalConfig } from '../config.ts'
import { type DecoderTrial, proveDecoders } from '../ffmpeg/decoders.ts'
import { proveEncoders, type Trial } from '../ffmpeg/encoders.ts'
import type { TrialDeps } from '../ffmpeg/trial.ts'
import { chooseSlots, findMachineKind, readHardware } from './machine.ts'
import type { Sandbox } from './sandbox.ts'
import { reuseOrRunTrials } from './trial-memory.ts'

export type Findings = {
	capabilities: MachineCapabilities
	trials: Trial[]
	decoderTrials: DecoderTrial[]
	/** The device file that each encoder uses; most need none. */
	devices: Readonly<Record<string, string>>
}

type Abilities = Pick<LocalConfig, 'slots' | 'codecs' | 'dataDir' | 'remembersTrials'> & {
	ffmpegVersion: string
	/** The sandbox of the trials. */
	sandbox: Sandbox
}

/** Determines the machine's capabilities by trials. Takes seconds, because each runs ffmpeg. */
export async function findCapabilities(
	deps: TrialDeps,
	{ slots, codecs, dataDir, remembersTrials, ffmpegVersion, sandbox }: Abilities,
): Promise<Findings> {
	const { ffmpeg } = deps.programs
	const tryAll = async () => {
		const trials = await proveEncoders(deps, codecs)
		return {
			trials,
			decoderTrials: await proveDecoders(
				deps,
				trials.filter(({ proved }) => proved),
			),
		}
	}
	const { trials, decoderTrials } = remembersTrials
		? await reuseOrRunTrials(join(dataDir, 'trials.json'), { ffmpeg, codecs, sandbox }, tryAll)
		: await tryAll()
	const provedTrials = trials.filter(({ proved }) => proved)
	const encoders = provedTrials.map(({ encoder }) => encoder)
	const kind = findMachineKind(encoders)
	const hardware = readHardware()
	const capabilities = {
		kind,
		...hardware,
		ffmpegVersion,
		encoders,
		decoders: decoderTrials.filter((trial) => trial.proved).map((trial) => trial.decoder),
		slots: slots ?? chooseSlots(hardware, kind),
	}
	const devices = Object.fromEntries(
		provedTrials.flatMap(({ encoder, device }) => (device ? [[encoder, device]] : [])),
	)
	return { capabilities, trials, decoderTrials, devices }
}

/** Whether the machine can encode H.264, which every video needs. */
export const canWork = ({ encoders }: MachineCapabilities): boolean =>
	encoders.some((name) => name.startsWith('h264_') || name === 'libx264')
