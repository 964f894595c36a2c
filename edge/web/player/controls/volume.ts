import { createElement, createIcon, setIcon } from '../../parts/elements.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'
import { labelButton } from './label.ts'

/** The button for the sound, and the volume beside it. */
export function createVolumeControl({ media, page }: Player): HTMLElement {
	const { messages } = page
	const button = createElement(
		'button',
		{ class: 'button', type: 'button', on: { click: () => toggleMute(media) } },
		[createIcon(icons.volume)],
	)
	const slider = createElement('input', {
		class: 'volume-input',
		type: 'range',
		attributes: { min: '0', max: '100', step: '5', 'aria-label': messages.volume },
		on: {
			input: () => {
				media.volume = Number(slider.value) / 100
				media.muted = media.volume === 0
			},
		},
	})
	const show = () => {
		const isSilent = media.muted || media.volume === 0
		setIcon(button, isSilent ? icons.muted : icons.volume)
		labelButton(page, button, isSilent ? messages.unmute : messages.mute, 'M')
		const percent = Math.round((isSilent ? 0 : media.volume) * 100)
		slider.value = String(percent)
		slider.setAttribute('aria-valuetext', `${percent} %`)
		slider.style.setProperty('--share', String(percent / 100))
	}
	media.addEventListener('volumechange', show)
	show()
	const wheel = (event: WheelEvent) => {
		event.preventDefault()
		changeVolume(media, -Math.sign(event.deltaY))
	}
	return createElement('div', { class: 'volume', on: { wheel } }, [button, slider])
}

const STEP = 0.05

/** Changes the volume by a number of steps. */
export function changeVolume(media: HTMLMediaElement, steps: number): void {
	media.muted = false
	media.volume = Math.min(1, Math.max(0, Math.round((media.volume + steps * STEP) * 100) / 100))
}

const AUDIBLE = 0.5

export function toggleMute(media: HTMLMediaElement): void {
	const isSilent = media.muted || media.volume === 0
	media.muted = !isSilent
	if (isSilent && media.volume === 0) media.volume = AUDIBLE
}
