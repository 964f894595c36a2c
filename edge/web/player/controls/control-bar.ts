import { element, icon, setIcon, setLabel } from '../../parts/elements.ts'
import type { Captions } from '../captions/captions.ts'
import { NO_CAPTIONS } from '../captions/captions.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'
import { chaptersControl } from './chapters.ts'
import { liveCount } from './live-count.ts'
import { airplayButton, fullscreenButton, pictureInPictureButton } from './screen.ts'
import { seekBar, timeLabel } from './seek-bar.ts'
import { settingsControl } from './settings-panel.ts'
import { volumeControl } from './volume.ts'

/** The controls below the video. */
export function controlBar(
	root: HTMLElement,
	player: Player,
	captions: Captions,
	extra: readonly HTMLElement[] = [],
): HTMLElement {
	return element('div', { class: 'controls' }, [
		seekBar(player),
		element('div', { class: 'row' }, [
			playButton(player),
			volumeControl(player),
			timeLabel(player),
			element('span', { class: 'space' }, [liveCount(player)]),
			...extra,
			chaptersControl(player),
			captionsButton(player, captions),
			settingsControl(player, captions),
			airplayButton(player),
			pictureInPictureButton(player),
			fullscreenButton(root, player),
		]),
	])
}

function playButton(player: Player): HTMLElement {
	const { media, page, toggle } = player
	const { messages } = page
	const button = element('button', { class: 'button', type: 'button', on: { click: toggle } }, [
		icon(icons.play),
	])
	const show = () => {
		if (media.ended) {
			setIcon(button, icons.replay)
			setLabel(button, messages.replay)
			return
		}
		setIcon(button, media.paused ? icons.play : icons.pause)
		setLabel(button, media.paused ? messages.play : messages.pause)
	}
	for (const event of ['play', 'pause', 'ended', 'emptied', 'seeking']) media.addEventListener(event, show)
	show()
	return button
}

/** Turns captions on and off, if there are any. */
function captionsButton(player: Player, captions: Captions): HTMLElement {
	const { messages } = player.page
	const button = element(
		'button',
		{ class: 'button', type: 'button', on: { click: () => captions.toggle() } },
		[icon(icons.captions)],
	)
	const show = () => {
		const isOn = captions.track() !== NO_CAPTIONS
		button.hidden = captions.tracks().length === 0
		setLabel(button, messages.captions)
		button.setAttribute('aria-pressed', String(isOn))
	}
	player.on('tracks', show)
	show()
	return button
}
