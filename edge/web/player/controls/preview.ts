import { formatClock } from '#schema/contract/kit/clock.ts'
import { createElement } from '../../parts/elements.ts'
import { addToken } from '../playback/token-path.ts'
import type { Player } from '../player.ts'
import { findChapter } from './chapters.ts'
import { findTile, readStoryboard, type Tile } from './storyboard.ts'

/** The thumbnail and time above the timeline; without a storyboard, only the time. */
export function openPreview(player: Player) {
	const { video, duration } = player
	const image = createElement('div', { class: 'preview-image' })
	const chapter = createElement('span', { class: 'preview-chapter', attributes: { dir: 'auto' } })
	const time = createElement('span', { class: 'preview-time' })
	const root = createElement(
		'div',
		{ class: 'preview', hidden: true, attributes: { 'aria-hidden': 'true' } },
		[image, chapter, time],
	)
	let tiles: readonly Tile[] | null = null
	let hasFailed = false
	let shownSec = 0

	const showTile = (sec: number) => {
		const tile = findTile(tiles ?? [], sec)
		image.hidden = !tile
		if (!tile) return
		image.style.setProperty('inline-size', `${tile.width}px`)
		image.style.setProperty('block-size', `${tile.height}px`)
		image.style.setProperty('background-image', `url("${tile.url}")`)
		image.style.setProperty('background-position', `-${tile.x}px -${tile.y}px`)
	}
	const load = () => {
		if (tiles !== null || video.storyboardPath === null) return
		tiles = []
		readStoryboard(new URL(addToken(video.storyboardPath, player.token()), location.href)).then(
			(read) => {
				tiles = read
				showTile(shownSec)
			},
			() => {
				hasFailed = true
			},
		)
	}
	return {
		root,
		showAt(sec: number) {
			shownSec = sec
			load()
			root.hidden = false
			time.textContent = formatClock(sec)
			chapter.textContent = video.chapters[findChapter(player, sec)]?.title ?? ''
			showTile(sec)
			root.style.setProperty('--at', String(duration() > 0 ? sec / duration() : 0))
		},
		hide() {
			root.hidden = true
			// Retried when the pointer returns, not on each movement.
			if (hasFailed) tiles = null
			hasFailed = false
		},
	}
}
