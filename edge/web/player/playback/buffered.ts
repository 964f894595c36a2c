/** How far from a buffered range the position may be. */
const TOLERANCE_SEC = 0.1

/** Returns the end of the buffered range at the position; 0 if nothing is buffered there. */
export function findBufferedEnd({ buffered, currentTime }: HTMLMediaElement): number {
	for (let at = 0; at < buffered.length; at++)
		if (buffered.start(at) <= currentTime + TOLERANCE_SEC && buffered.end(at) >= currentTime)
			return buffered.end(at)
	return 0
}
