import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { createElement, createIcon } from '../../parts/elements.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'

const MIN_VISIBLE_SHARE = 0.3

/** Keeps a small player in the corner while the video plays out of sight, until the viewer closes the small player. */
export function followWithMiniPlayer(player: Player, { messages }: WatchPage): void {
	const { root, media } = player
	const stage = root.parentElement
	if (!stage || player.video.isAudioOnly) return
	let isAway = false
	let isClosed = false
	const show = () => {
		const isMini =
			isAway &&
			!isClosed &&
			player.hasStarted() &&
			!document.fullscreenElement &&
			(!media.paused || wasMini())
		root.classList.toggle('is-mini', isMini)
		close.hidden = !isMini
	}
	const wasMini = () => root.classList.contains('is-mini')
	const close = createElement(
		'button',
		{
			class: 'button close-mini',
			type: 'button',
			hidden: true,
			attributes: { 'aria-label': messages.closeMiniPlayer },
			on: {
				click: () => {
					isClosed = true
					player.pause()
					show()
				},
			},
		},
		[createIcon(icons.close)],
	)
	root.append(close)
	new IntersectionObserver(
		([entry]) => {
			isAway = (entry?.intersectionRatio ?? 1) < MIN_VISIBLE_SHARE
			// After the viewer has scrolled back to the player, the small player may open again.
			if (!isAway) isClosed = false
			show()
		},
		{ threshold: [0, MIN_VISIBLE_SHARE, 1] },
	).observe(stage)
	player.on('started', show)
	// A small player that the viewer closed may appear again after playback starts, for example by a link to a chapter.
	media.addEventListener('play', () => {
		isClosed = false
		show()
	})
}
