import type { Player } from '../player.ts'

type Connection = { saveData?: boolean }

/**
 * Loads ahead as far as the viewer is likely to need it: the engine after the first paint, the first segment when the
 * pointer, a finger or the focus comes near. With Save-Data, nothing before a click.
 */
export function preloadInTime(root: HTMLElement, player: Player): void {
	const { start } = player.page
	if (start.autoplay) {
		void player.autoplay()
		return
	}
	const { connection } = navigator as Navigator & { connection?: Connection }
	if (start.preload === 'none' || connection?.saveData) return
	const preload = () => void player.preload().catch(() => undefined)
	// The poster of the video is not the frame at another start.
	if (start.preload === 'auto' || player.currentTime() > 0) afterPaint(preload)
	else afterPaint(() => void player.prepare().catch(() => undefined))
	for (const event of ['pointerenter', 'focusin', 'touchstart'])
		root.addEventListener(event, preload, { once: true, passive: true })
}

/** Calls back when the page has been painted and the browser has time. */
function afterPaint(callback: () => void): void {
	requestAnimationFrame(() => {
		if ('requestIdleCallback' in window) requestIdleCallback(callback, { timeout: 1_000 })
		else setTimeout(callback, 100)
	})
}
