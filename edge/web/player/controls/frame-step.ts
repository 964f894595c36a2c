/** Where the playlist names no frame rate. */
const ASSUMED_FPS = 25
/** In frames: positions are rounded, and one just before a frame means that frame. */
const ROUNDING = 0.01

/**
 * Returns the middle of the next or previous frame, because the browser shows the frame before a position that is
 * slightly too early. All frames of a rendition take the same time.
 */
export function findNextFrameSec(sec: number, fps: number | null, direction: 1 | -1): number {
	const rate = fps ?? ASSUMED_FPS
	const frame = Math.floor(sec * rate + ROUNDING) + direction
	return (Math.max(0, frame) + 0.5) / rate
}
