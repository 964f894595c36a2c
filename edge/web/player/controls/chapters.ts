import { formatClock } from '#schema/contract/kit/clock.ts'
import { createElement, createIcon, markCurrent } from '../../parts/elements.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'
import { labelButton } from './label.ts'
import { openPanel } from './panel.ts'

/** Returns the index of the chapter at a position, or -1. */
export const findChapter = ({ video }: Pick<Player, 'video'>, sec: number): number =>
	video.chapters.findLastIndex(({ startSec }) => startSec <= sec)

/** Calls back with the index of a chapter when playback enters it. */
export function onChapter(player: Player, callback: (index: number) => void): void {
	let current = -1
	const look = () => {
		const index = findChapter(player, player.currentTime())
		if (index === current) return
		current = index
		callback(index)
	}
	for (const event of ['timeupdate', 'seeking']) player.media.addEventListener(event, look)
	look()
}

/** The button and list of chapters; null without any. */
export function createChaptersControl(player: Player): HTMLElement | null {
	const { video, page } = player
	if (video.chapters.length === 0) return null
	const items = video.chapters.map(({ title, startSec }) =>
		createElement(
			'button',
			{
				class: 'entry chapter',
				type: 'button',
				on: {
					click: () => {
						player.playFrom(startSec)
					},
				},
			},
			[
				createElement('span', { text: title, attributes: { dir: 'auto' } }),
				createElement('span', {
					class: 'chapter-time',
					text: formatClock(startSec),
					attributes: { dir: 'ltr' },
				}),
			],
		),
	)
	onChapter(player, (index) => markCurrent(items, index))
	const button = createElement('button', { class: 'button', type: 'button' }, [createIcon(icons.chapters)])
	labelButton(page, button, page.messages.chapters)
	const { root } = openPanel(button, { role: 'group', label: page.messages.chapters, content: items })
	root.classList.add('has-chapters')
	return root
}

/** Divides the timeline at chapter starts. */
export const createChapterMarks = ({ video }: Player): HTMLElement[] =>
	video.chapters.slice(1).map(({ startSec }) => {
		const mark = createElement('span', { class: 'chapter-mark' })
		mark.style.setProperty('inset-inline-start', `${(startSec / (video.durationSec || 1)) * 100}%`)
		return mark
	})
