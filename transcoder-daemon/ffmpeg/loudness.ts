/** Loudness target of the web, with headroom for the overshoot of lossy codecs. */
const TARGET = 'I=-16:TP=-1.5:LRA=11'

export type Loudness = { i: number; tp: number; lra: number; threshold: number; offset: number }

/** Prints the measured loudness as JSON on stderr at the end. */
export const measureFilter = `loudnorm=${TARGET}:print_format=json`

/** Normalizes by one constant gain from the measurement, without compression. */
export const buildNormalizeFilter = ({ i, tp, lra, threshold, offset }: Loudness): string =>
	`loudnorm=${TARGET}:linear=true:measured_I=${i}:measured_TP=${tp}:measured_LRA=${lra}:measured_thresh=${threshold}:offset=${offset}`

/** Parses the measured loudness; null for silence, which is not normalized. */
export function readLoudness(stderr: string): Loudness | null {
	const at = stderr.lastIndexOf('"input_i"')
	if (at === -1) throw new Error('the loudness was not measured')
	const json = stderr.slice(stderr.lastIndexOf('{', at), stderr.indexOf('}', at) + 1)
	const fields = JSON.parse(json) as Record<string, string>
	const loudness = {
		i: Number(fields.input_i),
		tp: Number(fields.input_tp),
		lra: Number(fields.input_lra),
		threshold: Number(fields.input_thresh),
		offset: Number(fields.target_offset),
	}
	// The filter rejects -inf, and below -70 LUFS the measurement is meaningless.
	return Object.values(loudness).every(Number.isFinite) && loudness.i > -70 ? loudness : null
}
