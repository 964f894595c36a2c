import { formatClock } from '#schema/contract/kit/clock.ts'
import { copyText } from '../../parts/copy.ts'
import { createElement, createIcon } from '../../parts/elements.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import { captionStyleNames, captionStyles, styleLabels } from '../captions/caption-style.ts'
import { type Captions, NO_CAPTIONS } from '../captions/captions.ts'
import { icons } from '../icons.ts'
import { AUTO_QUALITY } from '../playback/auto-quality.ts'
import { setSpeed } from '../playback/media-settings.ts'
import { SPEEDS } from '../playback/speeds.ts'
import type { Player } from '../player.ts'
import { openShare } from '../share/open-share.ts'
import { createStatistics } from '../states/statistics.ts'
import { createChoiceEntry } from './choice-entry.ts'
import { labelButton } from './label.ts'
import { type Entry, openMenu } from './menu.ts'

/** The button and menus for quality, speed, tracks, captions and what is rarely needed. */
export function createSettingsControl(player: Player, captions: Captions): HTMLElement {
	const { page, media, engine } = player
	const { messages } = page
	const statistics = createStatistics(player)

	const qualityEntry = () =>
		createChoiceEntry({
			label: messages.quality,
			list: () => {
				const playing = engine()?.playingQuality()
				const auto = playing ? fillPlaceholders(messages.autoNow, { quality: playing }) : messages.auto
				return [{ id: AUTO_QUALITY, label: auto }, ...(engine()?.qualities() ?? [])]
			},
			chosen: () => engine()?.quality() ?? AUTO_QUALITY,
			choose: (id) => engine()?.setQuality(id),
		})
	const speedLabel = (speed: number) => (speed === 1 ? messages.normalSpeed : `${speed} ×`)
	const speedEntry = () =>
		createChoiceEntry({
			label: messages.speed,
			list: () => SPEEDS.map((speed, id) => ({ id, label: speedLabel(speed) })),
			chosen: () => SPEEDS.indexOf(media.playbackRate),
			choose: (at) => setSpeed(media, SPEEDS[at] ?? 1),
		})
	const audioEntry = () =>
		createChoiceEntry({
			label: messages.audioTrack,
			list: () => engine()?.audioTracks() ?? [],
			chosen: () => engine()?.audioTrack() ?? 0,
			choose: (id) => engine()?.setAudioTrack(id),
		})
	const captionsEntry = () =>
		createChoiceEntry({
			label: messages.captions,
			list: () => [{ id: NO_CAPTIONS, label: messages.off }, ...captions.tracks()],
			chosen: captions.track,
			choose: (id) => captions.choose(id),
		})
	const styleEntry = (): Entry => ({
		label: messages.captionStyle,
		menu: () => ({
			title: messages.captionStyle,
			entries: captionStyleNames.map((name) =>
				createChoiceEntry({
					label: messages[styleLabels[name]],
					list: () => captionStyles[name].map(({ label }, id) => ({ id, label: messages[label] })),
					chosen: () => captions.style(name),
					choose: (at) => captions.setStyle(name, at),
				}),
			),
		}),
	})
	const loopEntry = (): Entry => ({
		label: messages.loop,
		role: 'menuitemcheckbox',
		isChecked: player.isLooping(),
		choose: () => player.setLoop(!player.isLooping()),
	})
	const statisticsEntry = (): Entry => ({
		label: messages.statistics,
		role: 'menuitemcheckbox',
		isChecked: statistics.isShown(),
		choose: statistics.toggle,
	})
	const linkEntry = (): Entry => {
		const sec = Math.floor(player.currentTime())
		return {
			label: fillPlaceholders(messages.copyLink, { time: formatClock(sec) }),
			async choose() {
				const url = new URL(`/watch/${player.video.playbackId}?t=${sec}`, location.href)
				if (await copyText(url.href)) player.announce(messages.copied)
			},
		}
	}
	const shareEntry = (): Entry => ({ label: messages.share, choose: () => openShare(player) })
	const readMenu = () => ({
		title: messages.settings,
		entries: [
			...((engine()?.qualities().length ?? 0) > 0 ? [qualityEntry()] : []),
			speedEntry(),
			...((engine()?.audioTracks().length ?? 0) > 1 ? [audioEntry()] : []),
			...(captions.tracks().length > 0 ? [captionsEntry(), styleEntry()] : []),
			loopEntry(),
			statisticsEntry(),
			// The link of a signed video would need the token of this viewer.
			...(player.token() === null ? [linkEntry()] : []),
			// The watch page has a button.
			...(page.kind === 'embed' && page.share ? [shareEntry()] : []),
		],
	})
	const button = createElement('button', { class: 'button', type: 'button' }, [createIcon(icons.settings)])
	labelButton(page, button, messages.settings)
	const { root, update } = openMenu(
		button,
		page,
		readMenu,
		() => void player.prepare().catch(() => undefined),
	)
	player.on('tracks', update)
	media.addEventListener('ratechange', update)
	return root
}
