import type { MachineCapabilities } from '#schema/contract/fleet.ts'
import { proveEncoders, type Trial } from './ffmpeg/encoders.ts'
import { readFfmpegVersion } from './ffmpeg/version.ts'
import { kindOf, readHardware, slotsFor } from './machine.ts'

/** What the machine is able to do, and the trials that say so. Takes seconds: ffmpeg is run for each encoder. */
export async function findCapabilities(
	ffmpeg: string,
	slots: number | null,
	signal: AbortSignal,
): Promise<{ capabilities: MachineCapabilities; trials: Trial[] }> {
	const ffmpegVersion = await readFfmpegVersion(ffmpeg, signal)
	const trials = await proveEncoders(ffmpeg, signal)
	const encoders = trials.filter((trial) => trial.proved).map((trial) => trial.encoder)
	const kind = kindOf(encoders)
	const hardware = readHardware()
	const capabilities = {
		kind,
		...hardware,
		ffmpegVersion,
		encoders,
		slots: slots ?? slotsFor(hardware, kind),
	}
	return { capabilities, trials }
}

/** Every rung is H.264; whoever can't make it is of no use to the fleet. */
export const canWork = ({ encoders }: MachineCapabilities): boolean =>
	encoders.some((name) => name.startsWith('h264_') || name === 'libx264')
