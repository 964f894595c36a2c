import { formatClock } from '#schema/contract/kit/clock.ts'
import type { PlayableVideo, PlayerPage } from '#schema/contract/watch/player-page.ts'
import { createElement } from '../parts/elements.ts'
import { fillPlaceholders } from '../parts/fill.ts'
import { type Captions, openCaptions } from './captions/captions.ts'
import { createControlBar } from './controls/control-bar.ts'
import { handleSurface } from './controls/gestures.ts'
import { handleKeys } from './controls/keyboard.ts'
import { connectMediaSession } from './media-session.ts'
import { reloadGrownPlaylists } from './playback/growth.ts'
import { preloadInTime } from './playback/preload.ts'
import { openPlayer, type Player } from './player.ts'
import { mayUseStorage, openPreferences } from './preferences.ts'
import { reportWhenStarted } from './reporting/report-when-started.ts'
import { createAnnouncer } from './states/announcer.ts'
import { createProblemNotice } from './states/notice.ts'

const IDLE_MS = 3_000

export type ShownPlayer = { player: Player; captions: Captions }

/** Turns the markup of the page into a working player. */
export async function showPlayer(
	page: PlayerPage,
	video: PlayableVideo,
	extraControls: (player: Player) => HTMLElement[] = () => [],
): Promise<ShownPlayer> {
	const root = find<HTMLElement>(document, '#player')
	const media = find<HTMLVideoElement>(root, 'video')
	const startButton = find<HTMLButtonElement>(root, '.start')
	const isAllowed = await mayUseStorage()
	const player = openPlayer(
		page,
		video,
		root,
		media,
		openPreferences(() => isAllowed),
	)

	const surface = createElement('div', { class: 'surface' })
	media.after(surface)
	const captions = openCaptions(player)
	root.append(captions.root, createAnnouncer(player), createProblemNotice(player))
	if (page.start.controls) root.append(createControlBar(root, player, captions, extraControls(player)))
	offerResume(root, player)
	offerSound(root, player)

	const showControls = hideWhenIdle(root, media)
	handleSurface(surface, player, showControls)
	startButton.addEventListener('click', player.toggle)
	// A click before this script ran has focused the button.
	if (startButton.matches(':focus:not(:focus-visible)')) void player.play().catch(() => undefined)
	if (page.start.keys)
		handleKeys(player, {
			root,
			showShortcuts: () => void showShortcuts(root, player).catch(() => undefined),
			toggleCaptions: () => captions.toggle(),
		})
	showStates(root, player)
	connectMediaSession(player)
	reloadGrownPlaylists(player)
	reportWhenStarted(player)
	preloadInTime(root, player)
	return { player, captions }
}

/** Loads the list of shortcuts with the first request for it. */
async function showShortcuts(root: HTMLElement, player: Player): Promise<void> {
	const { createShortcutsDialog } = await import('./controls/shortcuts-dialog.ts')
	shortcutsDialog ??= createShortcutsDialog(root, player)
	shortcutsDialog()
}

let shortcutsDialog: (() => void) | null = null

function find<E extends Element>(within: ParentNode, selector: string): E {
	const found = within.querySelector<E>(selector)
	if (!found) throw new Error(`the page has no ${selector}`)
	return found
}

/** Updates the classes of the player; CSS does the rest. */
function showStates(root: HTMLElement, player: Player): void {
	const { media } = player
	const toggle = (name: string, isOn: boolean) => root.classList.toggle(name, isOn)
	player.on('started', () => toggle('is-started', true))
	player.on('refused', () => toggle('is-started', false))
	// The first frame is there: the poster may go.
	for (const event of ['playing', 'seeked'])
		media.addEventListener(event, () => {
			if (media.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && !player.video.isAudioOnly)
				toggle('has-frame', true)
		})
	for (const event of ['play', 'pause', 'ended', 'emptied'])
		media.addEventListener(event, () => toggle('is-playing', !media.paused && !media.ended))
	const showWaiting = () =>
		toggle('is-waiting', !media.paused && media.readyState < HTMLMediaElement.HAVE_FUTURE_DATA)
	for (const event of ['waiting', 'playing', 'pause', 'canplay', 'play', 'seeking', 'seeked'])
		media.addEventListener(event, showWaiting)
}

/**
 * Hides the controls while the video plays and the viewer is idle. Returns a function that shows them and reports
 * whether they were hidden.
 */
function hideWhenIdle(root: HTMLElement, media: HTMLMediaElement): () => boolean {
	let timer: number | undefined
	const isBusy = () => root.querySelector('.panel:not([hidden]), .controls :focus-visible') !== null
	const show = (): boolean => {
		const wasHidden = root.classList.contains('is-idle')
		root.classList.remove('is-idle')
		window.clearTimeout(timer)
		timer = window.setTimeout(() => {
			if (!media.paused && !isBusy()) root.classList.add('is-idle')
		}, IDLE_MS)
		return wasHidden
	}
	for (const event of ['pointermove', 'keydown', 'focusin']) root.addEventListener(event, show)
	for (const event of ['play', 'pause', 'seeking']) media.addEventListener(event, show)
	// A finger leaves after each tap.
	root.addEventListener('pointerleave', ({ pointerType }) => {
		if (pointerType !== 'touch' && !media.paused && !isBusy()) root.classList.add('is-idle')
	})
	return show
}

/** Offers to resume an earlier visit. */
function offerResume(root: HTMLElement, player: Player): void {
	const sec = player.resumeSec()
	if (sec === null || player.page.start.autoplay) return
	const { messages } = player.page
	const offer = createElement('div', { class: 'resume' }, [
		createElement('button', {
			class: 'text-button',
			type: 'button',
			text: fillPlaceholders(messages.resume, { time: formatClock(sec) }),
			on: {
				click: () => {
					player.playFrom(sec)
				},
			},
		}),
	])
	root.append(offer)
	player.on('started', () => offer.remove())
}

/** Offers to unmute if the browser required muted playback. A script may not unmute. */
function offerSound(root: HTMLElement, player: Player): void {
	const { media } = player
	const button = createElement('button', {
		class: 'text-button sound',
		type: 'button',
		text: player.page.messages.tapToUnmute,
		hidden: true,
		on: {
			click: () => {
				media.muted = false
			},
		},
	})
	root.append(button)
	player.on('mutedByBrowser', () => {
		button.hidden = false
	})
	media.addEventListener('volumechange', () => {
		if (!media.muted) button.hidden = true
	})
}
