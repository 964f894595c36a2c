import { formatClock } from '#schema/contract/kit/clock.ts'
import { fillPlaceholders } from '../../parts/fill.ts'
import { setSpeed } from '../playback/media-settings.ts'
import { chooseNextSpeed } from '../playback/speeds.ts'
import type { Player } from '../player.ts'
import { findNextFrameSec } from './frame-step.ts'
import { watchPageScrolling } from './page-scrolling.ts'
import { skip, togglePlaying } from './playback-actions.ts'
import { toggleFullscreen, togglePictureInPicture } from './screen.ts'
import { changeVolume, toggleMute } from './volume.ts'

const SHORT_SKIP_SEC = 5
const LONG_SKIP_SEC = 10

export type KeyboardTargets = { root: HTMLElement; showShortcuts(): void; toggleCaptions(): void }

/** Handles the shortcuts of the page. */
export function handleKeys(player: Player, targets: KeyboardTargets): void {
	const actions = actionsOf(player, targets)
	const scrollsPage = player.page.kind === 'watch' ? watchPageScrolling(targets.root) : () => false
	document.addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
		const action = hasOwnMeaning(event) || scrollsPage(event.key) ? undefined : actions(event)
		if (!action) return
		event.preventDefault()
		action()
	})
}

const SLIDER_KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']

/** Whether the key already has a meaning at the focused element. */
function hasOwnMeaning({ target, key }: KeyboardEvent): boolean {
	if (!(target instanceof HTMLElement)) return false
	// The video must not react behind an open dialog.
	if (target.isContentEditable || target.closest('textarea, select, dialog')) return true
	if (target instanceof HTMLInputElement) {
		if (target.type !== 'range' || key === 'Home' || key === 'End') return true
		return SLIDER_KEYS.includes(key) && !target.matches('.seek-input')
	}
	return (key === ' ' || key === 'Enter') && target.matches('button, a, summary')
}

const percentOf = ({ volume }: HTMLMediaElement) => Math.round(volume * 100)

/** A letter of a non-Latin script, such as Cyrillic, Greek or Thai. */
const OTHER_SCRIPT = /^[^\p{ASCII}\p{Script=Latin}]+$/u

function actionsOf(player: Player, { root, showShortcuts, toggleCaptions }: KeyboardTargets) {
	const { media, page } = player
	const { messages } = page
	const skipBy = (sec: number) => () => skip(player, sec)
	const changeVolumeBy = (steps: number) => () => {
		changeVolume(media, steps)
		player.announce(fillPlaceholders(messages.volumeIs, { percent: percentOf(media) }))
	}
	const changeSpeed = (direction: 1 | -1) => () => {
		setSpeed(media, chooseNextSpeed(media.playbackRate, direction))
		player.announce(fillPlaceholders(messages.speedIs, { speed: media.playbackRate }))
	}
	const toggle = () => togglePlaying(player)
	const jump = (share: number) => () => {
		player.seek(player.duration() * share)
		player.announce(formatClock(player.currentTime()))
	}
	const stepFrame = (direction: 1 | -1) => () => {
		if (media.paused)
			player.seek(findNextFrameSec(player.currentTime(), player.engine()?.frameRate() ?? null, direction))
	}
	const togglePicture = () => void togglePictureInPicture(media).catch(() => undefined)
	const byKey: Record<string, () => void> = {
		' ': toggle,
		ArrowLeft: skipBy(-SHORT_SKIP_SEC),
		ArrowRight: skipBy(SHORT_SKIP_SEC),
		ArrowUp: changeVolumeBy(1),
		ArrowDown: changeVolumeBy(-1),
		Home: jump(0),
		End: jump(1),
		'<': changeSpeed(-1),
		'>': changeSpeed(1),
		',': stepFrame(-1),
		'.': stepFrame(1),
		'?': showShortcuts,
	}
	const byLetter: Record<string, () => void> = {
		k: toggle,
		j: skipBy(-LONG_SKIP_SEC),
		l: skipBy(LONG_SKIP_SEC),
		m: () => {
			toggleMute(media)
			player.announce(
				media.muted ? messages.muted : fillPlaceholders(messages.volumeIs, { percent: percentOf(media) }),
			)
		},
		f: () => void toggleFullscreen(root, media).catch(() => undefined),
		c: toggleCaptions,
		p: togglePicture,
		i: togglePicture,
	}
	return ({ key, code }: KeyboardEvent): (() => void) | undefined => {
		if (/^\d$/.test(key)) return jump(Number(key) / 10)
		// On keyboards without Latin letters, shortcuts go by key position.
		const letter = OTHER_SCRIPT.test(key) ? code.replace(/^Key/, '') : key
		return byKey[key] ?? byLetter[letter.toLowerCase()]
	}
}
