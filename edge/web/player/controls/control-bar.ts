import { createElement, createIcon, setIcon } from '../../parts/elements.ts'
import type { Captions } from '../captions/captions.ts'
import { NO_CAPTIONS } from '../captions/captions.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'
import { createChaptersControl } from './chapters.ts'
import { labelButton } from './label.ts'
import { createLiveCount } from './live-count.ts'
import { createAirplayButton, createFullscreenButton, createPictureInPictureButton } from './screen.ts'
import { createSeekBar, createTimeLabel } from './seek-bar.ts'
import { createSettingsControl } from './settings-menu.ts'
import { createVolumeControl } from './volume.ts'

/** The controls below the video. */
export function createControlBar(
	root: HTMLElement,
	player: Player,
	captions: Captions,
	extra: readonly HTMLElement[] = [],
): HTMLElement {
	const controls = createElement('div', { class: 'controls' }, [
		createSeekBar(player),
		createElement('div', { class: 'row' }, [
			playButton(player),
			createVolumeControl(player),
			createTimeLabel(player),
			createElement('span', { class: 'space' }, [createLiveCount(player)]),
			...extra,
			createChaptersControl(player),
			captionsButton(player, captions),
			createSettingsControl(player, captions),
			createAirplayButton(player),
			createPictureInPictureButton(player),
			createFullscreenButton(root, player),
		]),
	])
	if (player.video.isAudioOnly)
		void import('../audio/audio-look.ts').then(({ showAudioLook }) => showAudioLook(player, controls))
	return controls
}

function playButton(player: Player): HTMLElement {
	const { media, page, toggle } = player
	const { messages } = page
	const button = createElement('button', { class: 'button', type: 'button', on: { click: toggle } }, [
		createIcon(icons.play),
	])
	const show = () => {
		if (media.ended) {
			setIcon(button, icons.replay)
			labelButton(page, button, messages.replay, 'K')
			return
		}
		setIcon(button, media.paused ? icons.play : icons.pause)
		labelButton(page, button, media.paused ? messages.play : messages.pause, 'K')
	}
	for (const event of ['play', 'pause', 'ended', 'emptied', 'seeking']) media.addEventListener(event, show)
	show()
	return button
}

/** Turns captions on and off, if there are any. */
function captionsButton(player: Player, captions: Captions): HTMLElement {
	const { page } = player
	const button = createElement(
		'button',
		{ class: 'button captions-button', type: 'button', on: { click: () => captions.toggle() } },
		[createIcon(icons.captions)],
	)
	const show = () => {
		const isOn = captions.track() !== NO_CAPTIONS
		button.hidden = captions.tracks().length === 0
		labelButton(page, button, page.messages.captions, 'C')
		button.setAttribute('aria-pressed', String(isOn))
	}
	player.on('tracks', show)
	show()
	return button
}
