import type { Player } from '../player.ts'
import { skip, togglePlaying } from './playback-actions.ts'
import { toggleFullscreen } from './screen.ts'

const DOUBLE_TAP_MS = 300
const SKIP_SEC = 10
const HOLD_MS = 500
const HOLD_SPEED = 2

/**
 * Handles the surface of the video. A mouse click toggles playback, a double click full screen. A tap shows the controls
 * or hides them; a double tap on a side skips, and holding plays at double speed.
 */
export function handleSurface(surface: HTMLElement, player: Player, showControls: () => boolean): void {
	let lastTap = { at: Number.NEGATIVE_INFINITY, side: '' }
	let holdTimer: number | undefined
	let speedBefore: number | null = null
	/** Whether the click before began to play. */
	let hasJustStarted = false
	player.on('started', () => {
		hasJustStarted = true
	})

	surface.addEventListener('click', (event) => {
		const isTouch = (event as PointerEvent).pointerType === 'touch'
		if (!player.hasStarted()) return player.toggle()
		if (!isTouch) return handleClick(event.detail === 2)
		const side = sideOf(event)
		const isSecond =
			side !== 'middle' && side === lastTap.side && event.timeStamp - lastTap.at < DOUBLE_TAP_MS
		lastTap = { at: event.timeStamp, side }
		if (isSecond) return skip(player, side === 'right' ? SKIP_SEC : -SKIP_SEC)
		if (showControls()) return
		if (!player.media.paused) player.root.classList.add('is-idle')
		else if (side === 'middle') togglePlaying(player)
	})
	const handleClick = (isSecond: boolean) => {
		// The second click undoes the first one, except that it does not pause what the first one began.
		if (!isSecond || !hasJustStarted) togglePlaying(player)
		hasJustStarted = false
		if (isSecond) void toggleFullscreen(player.root, player.media).catch(() => undefined)
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
