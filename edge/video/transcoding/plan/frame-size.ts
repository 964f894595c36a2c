import type { VideoInfo } from '#schema/contract/video/media-info.ts'

export type Size = { width: number; height: number }

/** Returns the displayed size, after rotation and with square pixels. */
export const computeDisplaySize = (video: VideoInfo): Size => ({
	width: video.displayWidth,
	height: video.displayHeight,
})

export const measureShorterSide = ({ width, height }: Size): number => Math.min(width, height)
export const countPixels = ({ width, height }: Size): number => width * height

// 4:2:0 has one color sample for two by two pixels.
const nearestEven = (n: number): number => Math.max(2, 2 * Math.round(n / 2))
const evenBelow = (n: number): number => Math.max(2, 2 * Math.floor(n / 2))

export const makeEven = ({ width, height }: Size): Size => ({
	width: evenBelow(width),
	height: evenBelow(height),
})

/** Scales the shorter side to `shorter` pixels. Never enlarges. */
export function scaleToShorter(source: Size, shorter: number): Size {
	if (shorter >= measureShorterSide(source)) return makeEven(source)
	const even = evenBelow(shorter)
	const factor = even / measureShorterSide(source)
	return source.width < source.height
		? { width: even, height: nearestEven(source.height * factor) }
		: { width: nearestEven(source.width * factor), height: even }
}

/** Scales to fit into a square. Never enlarges. */
export function fitInto(source: Size, longer: number): Size {
	const factor = Math.min(1, longer / Math.max(source.width, source.height))
	return makeEven({
		width: Math.min(longer, nearestEven(source.width * factor)),
		height: Math.min(longer, nearestEven(source.height * factor)),
	})
}
