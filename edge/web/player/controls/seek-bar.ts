import { formatClock } from '#schema/contract/kit/clock.ts'
import { createElement } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import { formatSpokenTime } from '../../parts/spoken-time.ts'
import { findBufferedEnd } from '../playback/buffered.ts'
import type { Player } from '../player.ts'
import { createChapterMarks } from './chapters.ts'
import { openPreview } from './preview.ts'
import { openScrubView } from './scrub-view.ts'

/** The value of the range input at the end of the video. */
const MAX_VALUE = 1_000

/** The timeline: played and loaded ranges, and a preview at the pointer. */
export function createSeekBar(player: Player): HTMLElement {
	const { media, page } = player
	const { messages, language } = page
	const input = createElement('input', {
		class: 'seek-input',
		type: 'range',
		attributes: { min: '0', max: String(MAX_VALUE), step: 'any', value: '0', 'aria-label': messages.seek },
	})
	const played = createElement('div', { class: 'seek-played' })
	const loaded = createElement('div', { class: 'seek-loaded' })
	const preview = openPreview(player)
	const scrubView = openScrubView(player)
	// Timelines run left to right in every language.
	const bar = createElement('div', { class: 'seek', attributes: { dir: 'ltr' } }, [
		createElement('div', { class: 'seek-track' }, [loaded, played]),
		...createChapterMarks(player),
		input,
		preview.root,
	])
	let isDragging = false

	const secAt = (value: number) => (value / MAX_VALUE) * player.duration()
	const show = (sec: number) => {
		const share = player.duration() > 0 ? sec / player.duration() : 0
		played.style.setProperty('inline-size', `${Math.min(1, share) * 100}%`)
		if (!isDragging) input.value = String(share * MAX_VALUE)
		const [time, duration] = [sec, player.duration()].map((value) => formatSpokenTime(value, language))
		input.setAttribute(
			'aria-valuetext',
			fillPlaceholders(messages.position, { time: time ?? '', duration: duration ?? '' }),
		)
	}
	const showLoaded = () => {
		const share = player.duration() > 0 ? findBufferedEnd(media) / player.duration() : 0
		loaded.style.setProperty('inline-size', `${share * 100}%`)
	}
	for (const event of ['timeupdate', 'seeking', 'durationchange', 'loadedmetadata', 'emptied'])
		media.addEventListener(event, () => {
			if (!isDragging) show(player.currentTime())
		})
	for (const event of ['progress', 'timeupdate', 'emptied']) media.addEventListener(event, showLoaded)

	input.addEventListener('pointerdown', () => {
		isDragging = true
	})
	input.addEventListener('input', () => {
		const sec = secAt(Number(input.value))
		show(sec)
		if (!isDragging) return player.seek(sec)
		preview.showAt(sec)
		scrubView.showAt(sec)
	})
	const release = () => {
		if (!isDragging) return
		isDragging = false
		preview.hide()
		scrubView.end()
		player.seek(secAt(Number(input.value)))
	}
	input.addEventListener('pointerup', release)
	input.addEventListener('pointercancel', release)
	input.addEventListener('change', release)
	bar.addEventListener('pointermove', (event) => {
		const { left, width } = bar.getBoundingClientRect()
		if (width > 0)
			preview.showAt(Math.min(1, Math.max(0, (event.clientX - left) / width)) * player.duration())
	})
	bar.addEventListener('pointerleave', () => {
		if (!isDragging) preview.hide()
	})
	show(player.currentTime())
	return bar
}

/** Shows the position and the length as clocks. */
export function createTimeLabel(player: Player): HTMLElement {
	const now = createElement('span', { class: 'time-now' })
	const length = createElement('span', { class: 'time-length' })
	const show = () => {
		now.textContent = formatClock(player.currentTime())
		length.textContent = ` / ${formatClock(player.duration())}`
	}
	for (const event of ['timeupdate', 'seeking', 'durationchange', 'emptied'])
		player.media.addEventListener(event, show)
	show()
	return createElement('span', { class: 'time', attributes: { dir: 'ltr' } }, [now, length])
}
