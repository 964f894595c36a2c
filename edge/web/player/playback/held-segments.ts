import { hasMedia } from './position.ts'

export type HeldSegments = ReturnType<typeof holdSegments>

/** Holds requests for segments back until they are due. */
export function holdSegments(media: HTMLMediaElement, isDue: (startSec: number) => boolean) {
	/** Where the segments of the requests start, by the functions that release the requests. */
	const held = new Map<() => void, number>()
	const releaseDue = () => {
		for (const [release, startSec] of held) if (isDue(startSec)) release()
	}
	media.addEventListener('timeupdate', releaseDue)
	media.addEventListener('waiting', () => {
		if (!hasMedia(media)) return releaseDue()
		for (const release of held.keys()) release()
	})
	return {
		/** Lets each held request go on whose segment is due now. */
		releaseDue,
		/** Returns null if a segment may be requested at once. Also resolves when the request is aborted. */
		untilDue(startSec: number, aborted: AbortSignal): Promise<void> | null {
			if (isDue(startSec)) return null
			return new Promise((resolve) => {
				const release = () => {
					held.delete(release)
					resolve()
				}
				held.set(release, startSec)
				aborted.addEventListener('abort', release)
			})
		},
	}
}
