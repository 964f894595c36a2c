import type { Player } from '../player.ts'

type Link = HTMLAnchorElement

/** Makes links to moments seek without leaving the page. */
export function seekOnClick(player: Player, links: readonly Link[]): void {
	for (const link of links)
		link.addEventListener('click', (event) => {
			if (event.ctrlKey || event.metaKey || event.shiftKey) return
			event.preventDefault()
			player.playFrom(Number(link.dataset.start))
		})
}

/** Marks the link to what plays, and returns it. */
export function markCurrent(links: readonly Link[], index: number): Link | undefined {
	const current = links[index]
	for (const link of links) if (link !== current) link.removeAttribute('aria-current')
	current?.setAttribute('aria-current', 'true')
	return current
}
