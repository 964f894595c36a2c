import type { Player } from '../player.ts'

type Connection = { saveData?: boolean }

/**
 * Loads what the viewer will probably need: after the poster, the engine and the first segment of the lowest quality; on
 * hover, touch or focus, the first segment of a better one. With Save-Data, nothing before a click.
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
	const prepare = () =>
		void player.prepare().then(
			(engine) => engine.preloadLowest(root),
			() => undefined,
		)
	// The poster of the video is not the frame at another start.
	afterPoster(root, start.preload === 'auto' || player.currentTime() > 0 ? preload : prepare)
	for (const event of ['pointerenter', 'focusin', 'touchstart'])
		root.addEventListener(event, preload, { once: true, passive: true })
}

/** Calls back when the poster is visible and the browser has time: the engine must not delay the poster. */
function afterPoster(root: HTMLElement, callback: () => void): void {
	const afterPaint = () => {
		requestAnimationFrame(() => {
			if ('requestIdleCallback' in window) requestIdleCallback(callback, { timeout: 1_000 })
			else setTimeout(callback, 100)
		})
	}
	const poster = root.querySelector<HTMLImageElement>('.poster')
	if (!poster || poster.complete) afterPaint()
	else for (const event of ['load', 'error']) poster.addEventListener(event, afterPaint, { once: true })
}
