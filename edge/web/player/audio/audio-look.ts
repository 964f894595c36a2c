import { createElement } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import { labelButton } from '../controls/label.ts'
import { skip } from '../controls/playback-actions.ts'
import { setSpeed } from '../playback/media-settings.ts'
import { chooseNextSpeed, SPEEDS } from '../playback/speeds.ts'
import type { Player } from '../player.ts'
import { drawWaveform } from './waveform.ts'

const SKIP_SEC = 15

/** Replaces the controls for audio: a waveform, skips and speed; no full screen and no picture-in-picture. */
export function showAudioLook(player: Player, controls: HTMLElement): void {
	const { page, root, video } = player
	const { messages } = page
	const pictureButtons = [messages.fullscreen, messages.pictureInPicture]
	for (const button of controls.querySelectorAll('.row > .button'))
		if (pictureButtons.includes(button.getAttribute('aria-label') ?? '')) button.remove()
	controls
		.querySelector('.row > .button')
		?.after(
			createSkipButton(player, -SKIP_SEC),
			createSkipButton(player, SKIP_SEC),
			createSpeedButton(player),
		)
	const track = controls.querySelector<HTMLElement>('.seek-track')
	if (track && video.peaks) drawWaveform(track, video.peaks)
	root.classList.add('has-audio-look')
}

function createSkipButton(player: Player, sec: number): HTMLElement {
	const { page } = player
	const { skippedForward, skippedBack } = page.messages
	const button = createElement('button', {
		class: 'button text',
		type: 'button',
		text: `${sec > 0 ? '+' : '−'}${Math.abs(sec)}`,
		on: { click: () => skip(player, sec) },
	})
	labelButton(
		page,
		button,
		fillPlaceholders(sec > 0 ? skippedForward : skippedBack, { seconds: Math.abs(sec) }),
	)
	return button
}

/** Each click selects the next speed, and after the fastest the slowest. */
function createSpeedButton({ media, page }: Player): HTMLElement {
	const button = createElement('button', {
		class: 'button text',
		type: 'button',
		on: {
			click: () => {
				const next = chooseNextSpeed(media.playbackRate, 1)
				setSpeed(media, next === media.playbackRate ? (SPEEDS[0] ?? 1) : next)
			},
		},
	})
	const show = () => {
		button.textContent = `${media.playbackRate}×`
		labelButton(page, button, fillPlaceholders(page.messages.speedIs, { speed: media.playbackRate }))
	}
	media.addEventListener('ratechange', show)
	show()
	return button
}
