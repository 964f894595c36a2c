import { createElement } from '../../parts/elements.ts'
import type { Scrubber } from '../playback/engine-types.ts'
import type { Player } from '../player.ts'

/** Shows frames over the video while the viewer drags along the timeline. */
export function openScrubView(player: Player) {
	const frame = createElement('video', {
		class: 'scrub',
		attributes: { 'aria-hidden': 'true', tabindex: '-1' },
	})
	frame.muted = true
	frame.playsInline = true
	let scrubber: Scrubber | null = null
	let isDragging = false

	frame.addEventListener('seeked', () => {
		if (isDragging) player.root.classList.add('is-scrubbing')
	})
	// The frame stays until the video itself shows the new position.
	for (const event of ['seeked', 'playing'])
		player.media.addEventListener(event, () => {
			if (!isDragging) player.root.classList.remove('is-scrubbing')
		})
	return {
		showAt(sec: number) {
			if (player.video.isAudioOnly) return
			isDragging = true
			if (!frame.isConnected) player.media.after(frame)
			scrubber ??= player.engine()?.createScrubber(frame) ?? null
			scrubber?.showAt(sec)
		},
		end() {
			isDragging = false
		},
	}
}
