import { markCurrent } from '../../parts/elements.ts'
import { onChapter } from '../controls/chapters.ts'
import type { Player } from '../player.ts'
import { seekOnClick } from './seek-links.ts'

/** Makes the links to chapters seek without leaving the page, and marks the chapter that plays. */
export function connectChapterLinks(player: Player): void {
	const links = [...document.querySelectorAll<HTMLAnchorElement>('.chapters a')]
	seekOnClick(player, links)
	onChapter(player, (index) => markCurrent(links, index))
}
