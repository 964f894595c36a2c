const SCROLLING_KEYS = [' ', 'ArrowUp', 'ArrowDown', 'Home', 'End']
const MIN_VISIBLE_SHARE = 0.5

/**
 * Returns whether a key scrolls the watch page instead of acting as a shortcut. After a click, while focused, and in
 * full screen, the player handles these keys; it also handles the space bar while nothing is focused and the player
 * is visible.
 */
export function watchPageScrolling(root: HTMLElement): (key: string) => boolean {
	let isPlayerInUse = false
	for (const event of ['pointerdown', 'focusin'])
		document.addEventListener(event, ({ target }) => {
			isPlayerInUse = target instanceof Node && root.contains(target)
		})
	return (key) => {
		if (!SCROLLING_KEYS.includes(key) || isPlayerInUse || document.fullscreenElement) return false
		return key !== ' ' || document.activeElement !== document.body || !isMostlyVisible(root)
	}
}

function isMostlyVisible(root: HTMLElement): boolean {
	if (root.classList.contains('is-mini')) return false
	const { top, bottom, height } = root.getBoundingClientRect()
	return Math.min(bottom, innerHeight) - Math.max(top, 0) >= height * MIN_VISIBLE_SHARE
}
