import { createElement, createIcon, setIcon } from '../../parts/elements.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'
import { labelButton } from './label.ts'

type AppleVideo = HTMLVideoElement & {
	webkitEnterFullscreen?: () => void
	webkitShowPlaybackTargetPicker?: () => void
}

export const canPictureInPicture = (): boolean => document.pictureInPictureEnabled === true

export async function togglePictureInPicture(media: HTMLVideoElement): Promise<void> {
	if (document.pictureInPictureElement) await document.exitPictureInPicture()
	else if (canPictureInPicture() && media.readyState > 0) await media.requestPictureInPicture()
}

/** Shows the whole player on the screen; on an iPhone, only the video. */
export async function toggleFullscreen(root: HTMLElement, media: AppleVideo): Promise<void> {
	if (document.fullscreenElement) return document.exitFullscreen()
	if (document.fullscreenEnabled) return root.requestFullscreen()
	media.webkitEnterFullscreen?.()
}

export function createFullscreenButton(root: HTMLElement, { media, page }: Player): HTMLElement | null {
	const { messages } = page
	if (!document.fullscreenEnabled && !('webkitEnterFullscreen' in media)) return null
	const button = createElement(
		'button',
		{
			class: 'button',
			type: 'button',
			on: { click: () => void toggleFullscreen(root, media).catch(() => undefined) },
		},
		[createIcon(icons.fullscreen)],
	)
	const show = () => {
		const isFull = document.fullscreenElement === root
		setIcon(button, isFull ? icons.leaveFullscreen : icons.fullscreen)
		labelButton(page, button, isFull ? messages.leaveFullscreen : messages.fullscreen, 'F')
	}
	document.addEventListener('fullscreenchange', show)
	show()
	return button
}

export function createPictureInPictureButton({ media, page }: Player): HTMLElement | null {
	if (!canPictureInPicture()) return null
	const button = createElement(
		'button',
		{
			class: 'button is-optional',
			type: 'button',
			on: { click: () => void togglePictureInPicture(media).catch(() => undefined) },
		},
		[createIcon(icons.pictureInPicture)],
	)
	labelButton(page, button, page.messages.pictureInPicture, 'P')
	return button
}

/** A button for AirPlay, shown while a device is in reach. */
export function createAirplayButton({ media, page }: Player): HTMLElement | null {
	const apple = media as AppleVideo
	if (!apple.webkitShowPlaybackTargetPicker) return null
	const button = createElement(
		'button',
		{
			class: 'button',
			type: 'button',
			hidden: true,
			on: { click: () => apple.webkitShowPlaybackTargetPicker?.() },
		},
		[createIcon(icons.airplay)],
	)
	labelButton(page, button, page.messages.airplay)
	media.addEventListener('webkitplaybacktargetavailabilitychanged', (event) => {
		button.hidden = (event as Event & { availability?: string }).availability !== 'available'
	})
	return button
}
