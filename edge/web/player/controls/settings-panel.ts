import { createElement, createIcon } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import { captionStyleNames, captionStyles, styleLabels } from '../captions/caption-style.ts'
import { type Captions, NO_CAPTIONS } from '../captions/captions.ts'
import { icons } from '../icons.ts'
import { AUTO_QUALITY } from '../playback/auto-quality.ts'
import type { Choice } from '../playback/engine-types.ts'
import { setSpeed } from '../playback/media-settings.ts'
import { SPEEDS } from '../playback/speeds.ts'
import type { Player } from '../player.ts'
import { labelButton } from './label.ts'
import { openPanel } from './panel.ts'

/** The button and panel for quality, speed and audio. Native lists work with every keyboard, screen reader and phone. */
export function createSettingsControl(player: Player, captions: Captions): HTMLElement {
	const { page, media } = player
	const { messages } = page
	const quality = setting(messages.quality, (id) => player.engine()?.setQuality(id))
	const audio = setting(messages.audioTrack, (id) => player.engine()?.setAudioTrack(id))
	const speed = setting(messages.speed, (at) => {
		setSpeed(media, SPEEDS[at] ?? 1)
	})
	const captionList = setting(messages.captions, (id) => captions.choose(id))
	const styles = captionStyleNames.map((name) => {
		const list = setting(messages[styleLabels[name]], (at) => captions.setStyle(name, at))
		const choices = captionStyles[name].map(({ label }, id) => ({ id, label: messages[label] }))
		list.show(choices, captions.style(name))
		return list.row
	})
	const styleGroup = createElement('details', { class: 'caption-style' }, [
		createElement('summary', { text: messages.captionStyle }),
		...styles,
	])
	const button = createElement('button', { class: 'button', type: 'button' }, [createIcon(icons.settings)])
	labelButton(page, button, messages.settings)
	const rows = [quality.row, speed.row, audio.row, captionList.row, styleGroup]
	const root = openPanel(button, messages.settings, rows, () => void player.prepare().catch(() => undefined))

	const showTracks = () => {
		const engine = player.engine()
		const qualities = engine?.qualities() ?? []
		const playing = engine?.playingQuality()
		const auto = playing ? fillPlaceholders(messages.autoNow, { quality: playing }) : messages.auto
		quality.show([{ id: AUTO_QUALITY, label: auto }, ...qualities], engine?.quality() ?? AUTO_QUALITY)
		quality.row.hidden = qualities.length < 2
		audio.show(engine?.audioTracks() ?? [], engine?.audioTrack() ?? 0)
		captionList.show([{ id: NO_CAPTIONS, label: messages.off }, ...captions.tracks()], captions.track())
		captionList.row.hidden = styleGroup.hidden = captions.tracks().length === 0
		audio.row.hidden = (engine?.audioTracks().length ?? 0) < 2
	}
	const showSpeed = () => {
		const choices = SPEEDS.map((value, id) => ({
			id,
			label: value === 1 ? messages.normalSpeed : `${value} ×`,
		}))
		speed.show(choices, SPEEDS.indexOf(media.playbackRate))
	}
	player.on('tracks', showTracks)
	media.addEventListener('ratechange', showSpeed)
	showTracks()
	showSpeed()
	return root
}

let listCount = 0

/** A labelled list of choices. */
function setting(label: string, choose: (id: number) => void) {
	const id = `setting-${++listCount}`
	const select = createElement('select', {
		attributes: { id },
		on: { change: () => choose(Number(select.value)) },
	})
	// A list inside its label would add its value to its name.
	const row = createElement('div', { class: 'setting' }, [
		createElement('label', { text: label, attributes: { for: id } }),
		select,
	])
	let shown = ''
	return {
		row,
		show(choices: readonly Choice[], chosen: number) {
			const next = JSON.stringify(choices)
			if (next !== shown)
				select.replaceChildren(
					...choices.map(({ id, label }) =>
						createElement('option', { text: label, attributes: { value: String(id) } }),
					),
				)
			shown = next
			select.value = String(chosen)
		},
	}
}
