/** Sets the speed, including for media loaded later, which would reset to the default. */
export function setSpeed(media: HTMLMediaElement, speed: number): void {
	media.playbackRate = speed
	media.defaultPlaybackRate = speed
}

/** When an element begins to load media, the browser drops pending events of volume and speed. Dispatches them again. */
export function repeatDroppedEvents(media: HTMLMediaElement): void {
	const settings = {
		volumechange: () => `${media.volume} ${media.muted}`,
		ratechange: () => `${media.playbackRate}`,
	}
	for (const [event, read] of Object.entries(settings)) {
		let reported = read()
		media.addEventListener(event, () => {
			reported = read()
		})
		media.addEventListener('loadstart', () => {
			if (read() !== reported) media.dispatchEvent(new Event(event))
		})
	}
}
