import type { MachineCapabilities } from '#schema/contract/fleet.ts'
import type { Trial } from './ffmpeg/encoders.ts'

/** For people: what this machine would report, and why an encoder is not in it. */
export function printStatus(
	name: string,
	capabilities: MachineCapabilities,
	trials: readonly Trial[],
): string {
	const { kind, cores, memoryBytes, ffmpegVersion, slots } = capabilities
	const rows = [
		['name', name],
		['kind', kind],
		['cores', String(cores)],
		['memory', `${(memoryBytes / 1024 ** 3).toFixed(1)} GiB`],
		['slots', String(slots)],
		['ffmpeg', ffmpegVersion],
	] as const
	return [
		...rows.map(([label, value]) => `${label.padEnd(8)} ${value}`),
		'encoders',
		...trials.map(
			(trial) => `  ${trial.proved ? 'works' : 'fails'}  ${trial.encoder.padEnd(18)} ${outcome(trial)}`,
		),
		'',
	].join('\n')
}

const outcome = ({ ms, reason, device }: Trial): string => {
	const where = device ? ` on ${device}` : ''
	return reason === null ? `${ms} ms${where}` : `${reason}${where}`
}
