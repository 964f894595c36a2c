/** Loudness of the web, with room for what lossy codecs overshoot. */
const TARGET = 'I=-16:TP=-1.5:LRA=11'

export type Loudness = { i: number; tp: number; lra: number; threshold: number; offset: number }

/** Says at its end, in JSON on stderr, how loud what went through is. */
export const measureFilter = `loudnorm=${TARGET}:print_format=json`

/** With what was measured it is one gain for all of it, and nothing is pressed. */
export const normalizeFilter = ({ i, tp, lra, threshold, offset }: Loudness): string =>
	`loudnorm=${TARGET}:linear=true:measured_I=${i}:measured_TP=${tp}:measured_LRA=${lra}:measured_thresh=${threshold}:offset=${offset}`

/** null for silence, which is not to be made louder. */
export function readLoudness(stderr: string): Loudness | null {
	const json = /\{[^{}]*"input_i"[^{}]*\}/.exec(stderr)?.[0]
	if (!json) throw new Error('the loudness was not measured')
	const said = JSON.parse(json) as Record<string, string>
	const loudness = {
		i: Number(said.input_i),
		tp: Number(said.input_tp),
		lra: Number(said.input_lra),
		threshold: Number(said.input_thresh),
		offset: Number(said.target_offset),
	}
	// -inf is no number that the filter takes, and below -70 it measures nothing.
	return Object.values(loudness).every(Number.isFinite) && loudness.i > -70 ? loudness : null
}
