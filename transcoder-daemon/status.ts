import type { Findings } from './capabilities.ts'
import type { Outcome } from './ffmpeg/trial.ts'

/** For people: what this machine would report, and why an encoder is not in it. */
export function printStatus(name: string, { capabilities, trials, decoderTrials }: Findings): string {
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
		...trials.map((trial) => line(trial.encoder, trial)),
		'decoding on hardware',
		...decoderTrials.map((trial) => line(trial.decoder, trial)),
		...(decoderTrials.length === 0 ? ['  this ffmpeg was built for none'] : []),
		'',
	].join('\n')
}

type Tried = Outcome & { device: string | null }

const line = (name: string, { proved, ms, reason, device }: Tried): string => {
	const where = device ? ` on ${device}` : ''
	return `  ${proved ? 'works' : 'fails'}  ${name.padEnd(18)} ${reason ?? `${ms} ms`}${where}`
}
