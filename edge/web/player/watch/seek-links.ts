import type { Player } from '../player.ts'

/** Makes links to moments of the video seek, instead of loading the page again. */
export function seekOnClick(player: Player, links: readonly HTMLAnchorElement[]): void {
	for (const link of links)
		link.addEventListener('click', (event) => {
			if (event.ctrlKey || event.metaKey || event.shiftKey) return
			event.preventDefault()
			player.playFrom(Number(link.dataset.start))
		})
}
