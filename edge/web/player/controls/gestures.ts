import { fillPlaceholders } from '../../parts/fill.ts'
import type { Player } from '../player.ts'

const DOUBLE_TAP_MS = 300
const SKIP_SEC = 10
const HOLD_MS = 500
const HOLD_SPEED = 2

/**
 * Handles the surface of the video. A mouse click toggles playback. Touching shows the controls; a double tap on a
 * side skips, and holding plays at double speed.
 */
export function handleSurface(surface: HTMLElement, player: Player, showControls: () => boolean): void {
	let lastTap = { at: Number.NEGATIVE_INFINITY, side: '' }
	let holdTimer: number | undefined
	let speedBefore: number | null = null

	surface.addEventListener('click', (event) => {
		const isTouch = (event as PointerEvent).pointerType === 'touch'
		if (!isTouch || !player.hasStarted()) return player.toggle()
		const side = sideOf(event)
		const isSecond =
			side !== 'middle' && side === lastTap.side && event.timeStamp - lastTap.at < DOUBLE_TAP_MS
		lastTap = { at: event.timeStamp, side }
		if (isSecond) return skip(side === 'right' ? 1 : -1)
		if (!showControls() && side === 'middle') player.toggle()
	})
	const skip = (direction: 1 | -1) => {
		const { messages } = player.page
		player.seek(player.currentTime() + direction * SKIP_SEC)
		player.announce(
			fillPlaceholders(direction > 0 ? messages.skippedForward : messages.skippedBack, { seconds: SKIP_SEC }),
		)
	}
	const sideOf = ({ clientX }: MouseEvent): string => {
		const { left, width } = surface.getBoundingClientRect()
		const share = (clientX - left) / width
		if (share < 1 / 3) return 'left'
		return share > 2 / 3 ? 'right' : 'middle'
	}
	surface.addEventListener('pointerdown', ({ pointerType }) => {
		if (pointerType !== 'touch' || player.media.paused) return
		holdTimer = window.setTimeout(() => {
			speedBefore = player.media.playbackRate
			player.media.playbackRate = HOLD_SPEED
		}, HOLD_MS)
	})
	for (const event of ['pointerup', 'pointercancel', 'pointerleave'])
		surface.addEventListener(event, () => {
			window.clearTimeout(holdTimer)
			if (speedBefore !== null) player.media.playbackRate = speedBefore
			speedBefore = null
		})
}
