export type Position = { sec(): number; set(sec: number): void }

/**
 * Remembers where the video is while it has no media: before the first segment, and while another source is attached,
 * when the browser forgets it.
 */
export function trackPosition(media: HTMLMediaElement): Position {
	let known = 0
	for (const event of ['timeupdate', 'seeking'])
		media.addEventListener(event, () => {
			if (hasMedia(media)) known = media.currentTime
		})
	return {
		sec: () => known,
		set(sec) {
			known = sec
		},
	}
}

export const hasMedia = ({ readyState }: HTMLMediaElement): boolean =>
	readyState > HTMLMediaElement.HAVE_NOTHING
