import type { WatchPage } from '#schema/contract/watch/player-page.ts'
import { createElement, markCurrent } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import type { Player } from '../player.ts'
import { createTextSearch, type Match } from './find-text.ts'
import { seekOnClick } from './seek-links.ts'

/** Makes the transcript seek, follow what plays, and searchable. */
export function connectTranscript(player: Player, { messages }: WatchPage): void {
	const section = document.querySelector<HTMLElement>('.transcript')
	const form = section?.querySelector('form')
	const input = form?.querySelector('input')
	const status = form?.querySelector('.status')
	const scroller = section?.querySelector<HTMLElement>('.transcript-text')
	if (!section || !form || !input || !status || !scroller) return
	seekOnClick(player, [...section.querySelectorAll<HTMLAnchorElement>('a')])
	follow(player, scroller)
	const paragraphs = [...section.querySelectorAll('li')].map(searchParagraph)
	form.hidden = false
	form.addEventListener('submit', (event) => event.preventDefault())
	input.addEventListener('input', () => {
		const count = paragraphs.reduce((sum, showMatches) => sum + showMatches(input.value), 0)
		const isEmpty = input.value.trim() === ''
		status.textContent = isEmpty
			? ''
			: count > 0
				? fillPlaceholders(messages.matches, { count })
				: messages.noMatches
	})
}

/** Marks the playing line, and scrolls to it unless the viewer reads elsewhere. */
function follow(player: Player, scroller: HTMLElement): void {
	const lines = [...scroller.querySelectorAll<HTMLAnchorElement>('p a')]
	const starts = lines.map(({ dataset }) => Number(dataset.start))
	let current = -1
	const look = () => {
		const sec = player.currentTime()
		const index = starts.findLastIndex((start) => start <= sec)
		if (index === current) return
		current = index
		const line = markCurrent(lines, index)
		if (!line || player.media.paused || scroller.matches(':hover, :focus-within')) return
		scroller.scrollTop += line.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 48
	}
	for (const event of ['timeupdate', 'seeking']) player.media.addEventListener(event, look)
}

/** Returns a function that marks the matches of a paragraph, hides it without any, and returns their number. */
function searchParagraph(paragraph: HTMLElement): (query: string) => number {
	const lines = [...paragraph.querySelectorAll<HTMLAnchorElement>('p a')].map((link) => ({
		link,
		text: link.textContent ?? '',
	}))
	let search: ((query: string) => Match[]) | null = null
	let hasMarks = false
	return (query) => {
		const isEmpty = query.trim() === ''
		search ??= createTextSearch(lines.map(({ text }) => text).join(' '))
		const matches = search(query)
		paragraph.hidden = !isEmpty && matches.length === 0
		if (!hasMarks && matches.length === 0) return 0
		hasMarks = matches.length > 0
		let from = 0
		for (const { link, text } of lines) {
			link.replaceChildren(...markedText(text, matches, from))
			from += text.length + 1
		}
		return matches.length
	}
}

/** Returns a line with its matches marked. `offset` is the index of the line in the paragraph that was searched. */
function markedText(text: string, matches: readonly Match[], offset: number): (Node | string)[] {
	const parts: (Node | string)[] = []
	let at = 0
	for (const { from, to } of matches) {
		const [start, end] = [Math.max(at, from - offset), Math.min(text.length, to - offset)]
		if (start >= end) continue
		parts.push(text.slice(at, start), createElement('mark', { text: text.slice(start, end) }))
		at = end
	}
	return [...parts, text.slice(at)]
}
