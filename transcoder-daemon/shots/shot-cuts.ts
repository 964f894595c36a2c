import type { Readable } from 'node:stream'

/** The size of the grey frames for shot detection. */
export const SHOT_PICTURE = { width: 64, height: 36 }
const PIXELS = SHOT_PICTURE.width * SHOT_PICTURE.height

/** The minimum mean change of a pixel in percent, and its minimum increase over the previous frame. */
const MIN_CHANGE = 10
/** Earlier changes, such as the end of a flash, start no new shot. */
const MIN_SHOT_SEC = 0.5
const MAX_SHOTS = 5_000

/** Reads grey frames, and returns the frames that start a new shot. */
export async function findShotCuts(stream: AsyncIterable<Buffer> | Readable, fps: number): Promise<number[]> {
	const minFrames = Math.max(1, Math.ceil(MIN_SHOT_SEC * fps))
	const cuts: number[] = []
	let picture = Buffer.alloc(PIXELS)
	let before = Buffer.alloc(PIXELS)
	let filled = 0
	let frame = 0
	let changeBefore = 0
	for await (const chunk of stream as AsyncIterable<Buffer>)
		for (let at = 0; at < chunk.length; ) {
			const bytes = Math.min(PIXELS - filled, chunk.length - at)
			chunk.copy(picture, filled, at, at + bytes)
			filled += bytes
			at += bytes
			if (filled < PIXELS) continue
			filled = 0
			const change = frame === 0 ? 0 : changeBetween(before, picture)
			const isCut = Math.min(change, change - changeBefore) > MIN_CHANGE
			if (isCut && frame - (cuts.at(-1) ?? -minFrames) >= minFrames && cuts.length < MAX_SHOTS)
				cuts.push(frame)
			changeBefore = change
			;[before, picture] = [picture, before]
			frame++
		}
	return cuts
}

function changeBetween(before: Buffer, picture: Buffer): number {
	let sum = 0
	for (let at = 0; at < PIXELS; at++) sum += Math.abs((picture[at] ?? 0) - (before[at] ?? 0))
	return (sum / PIXELS / 255) * 100
}
