import { onChapter } from '../controls/chapters.ts'
import type { Player } from '../player.ts'

/** Makes the links to chapters seek without leaving the page, and marks the chapter that plays. */
export function connectChapterLinks(player: Player): void {
	const links = [...document.querySelectorAll<HTMLAnchorElement>('.chapters a')]
	for (const link of links)
		link.addEventListener('click', (event) => {
			if (event.ctrlKey || event.metaKey || event.shiftKey) return
			event.preventDefault()
			player.playFrom(Number(link.dataset.start))
		})
	onChapter(player, (index) => {
		for (const [at, link] of links.entries())
			if (at === index) link.setAttribute('aria-current', 'true')
			else link.removeAttribute('aria-current')
	})
}
