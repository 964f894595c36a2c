export type Position = {
	/** Where the video is, or will be as soon as it has media. */
	sec(): number
	set(sec: number): void
}

/** Remembers the position while the video has no media: before the first segment, and while sources are switched. */
export function trackPosition(media: HTMLMediaElement): Position {
	let known = 0
	// New media begins at 0, and is then moved to the position.
	let isPlaced = false
	for (const event of ['timeupdate', 'seeking'])
		media.addEventListener(event, () => {
			if (!hasMedia(media)) return
			known = media.currentTime
			isPlaced = true
		})
	media.addEventListener('emptied', () => {
		isPlaced = false
	})
	return {
		sec: () => (isPlaced && hasMedia(media) && !media.error ? media.currentTime : known),
		set(sec) {
			known = sec
			isPlaced = false
		},
	}
}

export const hasMedia = ({ readyState }: HTMLMediaElement): boolean =>
	readyState > HTMLMediaElement.HAVE_NOTHING
