/**
 * Returns the probability of a split at least this uneven if neither side is slower (two-sided sign test). Only which of a
 * pair took longer counts, so occasional slowness of the machine adds only random results.
 */
export function signTest(wins: number, losses: number): number {
	const pairs = wins + losses
	let chance = 0
	let logChoose = 0
	for (let k = 0; k <= Math.min(wins, losses); k++) {
		chance += Math.exp(logChoose - pairs * Math.LN2)
		logChoose += Math.log(pairs - k) - Math.log(k + 1)
	}
	return Math.min(1, 2 * chance)
}
