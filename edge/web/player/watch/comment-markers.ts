import { createElement } from '../../parts/elements.ts'
import type { Player } from '../player.ts'

/** Comments less than this apart share one marker. */
const GROUP_SEC = 2

/** Marks commented moments on the timeline. The comment list contains the same as text. */
export function showMarkers(
	{ root, duration }: Player,
	comments: readonly { timestampSec: number | null }[],
): void {
	const bar = root.querySelector('.seek')
	if (!bar || duration() <= 0) return
	for (const marker of bar.querySelectorAll('.marker')) marker.remove()
	const groups = new Set(
		comments.flatMap(({ timestampSec }) =>
			timestampSec === null ? [] : [Math.floor(timestampSec / GROUP_SEC) * GROUP_SEC],
		),
	)
	for (const sec of groups) {
		const marker = createElement('span', { class: 'marker' })
		marker.style.setProperty('inset-inline-start', `${Math.min(100, (sec / duration()) * 100)}%`)
		bar.append(marker)
	}
}
