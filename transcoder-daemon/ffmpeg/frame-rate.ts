import type { Rational } from '#schema/contract/video/media-info.ts'

const STANDARD: readonly Rational[] = [
	[5, 1],
	[8, 1],
	[10, 1],
	[12, 1],
	[25, 2],
	[15, 1],
	[20, 1],
	[24_000, 1_001],
	[24, 1],
	[25, 1],
	[30_000, 1_001],
	[30, 1],
	[48_000, 1_001],
	[48, 1],
	[50, 1],
	[60_000, 1_001],
	[60, 1],
	[90, 1],
	[100, 1],
	[120_000, 1_001],
	[120, 1],
	[240, 1],
].map(([num = 1, den = 1]) => ({ num, den }))

/**
 * The maximum deviation of a frame from its grid position, in frames. Camera jitter and Matroska's milliseconds are
 * not a variable rate.
 */
const MAX_DEVIATION = 0.25

export type FrameRate = { rate: Rational; isConstant: boolean }

/** Finds the frame rate from presentation times in order; the container's claims are only guesses. */
export function findFrameRate(
	times: Float64Array,
	timeBase: Rational,
	claims: readonly (Rational | null)[],
): FrameRate {
	const guesses = [...claims.filter((claim) => claim !== null), ...STANDARD]
	if (times.length < 2) return { rate: guesses[0] ?? { num: 25, den: 1 }, isConstant: true }
	const mean = meanRate(times, timeBase)
	const plausible = guesses.filter((guess) => mean && Math.abs(toNumber(guess) / toNumber(mean) - 1) < 0.1)
	const best = bestRate(times, timeBase, plausible)
	if (best) return { rate: best, isConstant: true }
	if (mean && bestRate(times, timeBase, [mean])) return { rate: mean, isConstant: true }
	return { rate: typicalRate(times, timeBase), isConstant: false }
}

export const toNumber = ({ num, den }: Rational): number => num / den

/** Parses a rational such as `30000/1001`; null for anything else, as in a stream without frames. */
export function parseRational(text: string | null | undefined): Rational | null {
	const [, num, den] = /^(\d+)[/:](\d+)$/.exec(text ?? '') ?? []
	const [n, d] = [Number(num), Number(den)]
	return n > 0 && d > 0 && Number.isSafeInteger(n) && Number.isSafeInteger(d) ? { num: n, den: d } : null
}

function meanRate(times: Float64Array, timeBase: Rational): Rational | null {
	const span = (times.at(-1) ?? 0) - (times[0] ?? 0)
	return span > 0 ? approximate(((times.length - 1) * timeBase.den) / (span * timeBase.num)) : null
}

function bestRate(times: Float64Array, timeBase: Rational, rates: readonly Rational[]): Rational | undefined {
	let best: Rational | undefined
	let least = MAX_DEVIATION
	for (const rate of rates) {
		const deviation = deviationFrom(times, (toNumber(timeBase) * rate.num) / rate.den, least)
		if (deviation < least) [best, least] = [rate, deviation]
	}
	return best
}

/** Returns the largest deviation in frames; stops above `limit`. */
function deviationFrom(times: Float64Array, framesPerTick: number, limit: number): number {
	const first = times[0] ?? 0
	let most = 0
	for (let frame = 0; frame < times.length && most < limit; frame++)
		most = Math.max(most, Math.abs(((times[frame] ?? 0) - first) * framesPerTick - frame))
	return most
}

/**
 * Returns the rate of the faster passages, so that movement stays smooth; repeated frames in between cost almost
 * nothing.
 */
function typicalRate(times: Float64Array, timeBase: Rational): Rational {
	const steps = new Float64Array(times.length - 1)
	for (let frame = 1; frame < times.length; frame++)
		steps[frame - 1] = (times[frame] ?? 0) - (times[frame - 1] ?? 0)
	const nonZeroSteps = steps.filter((step) => step > 0).sort()
	const step = nonZeroSteps[Math.floor(nonZeroSteps.length / 4)]
	if (step === undefined) return { num: 25, den: 1 }
	const rate = timeBase.den / (timeBase.num * step)
	const distance = (standard: Rational) => Math.abs(Math.log(toNumber(standard) / rate))
	const [nearest] = [...STANDARD].sort((a, b) => distance(a) - distance(b))
	return nearest && distance(nearest) < 0.25 ? nearest : approximate(rate)
}

/** Approximates by a continued fraction, exact to the frame over hours. */
function approximate(value: number): Rational {
	let [num, den, lastNum, lastDen] = [Math.floor(value), 1, 1, 0]
	for (let rest = value - Math.floor(value); rest > 1e-9; rest = 1 / rest - Math.floor(1 / rest)) {
		const whole = Math.floor(1 / rest)
		if (whole * den + lastDen > 100_000) break
		;[num, lastNum] = [whole * num + lastNum, num]
		;[den, lastDen] = [whole * den + lastDen, den]
	}
	return num > 0 ? { num, den } : { num: 1, den: Math.max(1, Math.round(1 / value)) }
}
