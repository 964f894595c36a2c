type Size = { width: number; height: number }

const landscapes: readonly Size[] = [
	{ width: 5, height: 4 },
	{ width: 4, height: 3 },
	{ width: 3, height: 2 },
	{ width: 8, height: 5 },
	{ width: 16, height: 9 },
	{ width: 2, height: 1 },
	{ width: 21, height: 9 },
]
const portraits = landscapes.map(({ width, height }) => ({ width: height, height: width }))
const wellKnown = [{ width: 1, height: 1 }, ...landscapes, ...portraits]

/** Prefers a nearby well-known ratio over one with larger terms: 854x480 is 427:240, but means 16:9. */
const MAX_TERM = 21
const TOLERANCE = 0.01

/** Returns the ratio of width to height, such as `16:9`. */
export function formatAspectRatio(size: Size): string {
	const divisor = greatestCommonDivisor(size.width, size.height)
	const exact = { width: size.width / divisor, height: size.height / divisor }
	const tolerance = Math.max(exact.width, exact.height) > MAX_TERM ? TOLERANCE : 0
	const distance = ({ width, height }: Size) => Math.abs((width * size.height) / (height * size.width) - 1)
	const nearest = wellKnown.reduce((best, each) => (distance(each) < distance(best) ? each : best))
	const { width, height } = distance(nearest) <= tolerance ? nearest : exact
	return `${width}:${height}`
}

function greatestCommonDivisor(a: number, b: number): number {
	return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
