import type { Player } from '../player.ts'

/** Makes links to moments seek without leaving the page. */
export function seekOnClick(player: Player, links: readonly HTMLAnchorElement[]): void {
	for (const link of links)
		link.addEventListener('click', (event) => {
			if (event.ctrlKey || event.metaKey || event.shiftKey) return
			event.preventDefault()
			player.playFrom(Number(link.dataset.start))
		})
}
