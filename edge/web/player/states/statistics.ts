import { createElement } from '../../parts/elements.ts'
import { findBufferedEnd } from '../playback/buffered.ts'
import type { Player } from '../player.ts'

const UPDATE_MS = 1_000

/** Numbers about playback over the video, for people who look for the cause of a problem. */
export function createStatistics(player: Player) {
	const { media, page, engine } = player
	const { messages, reportId } = page
	const list = createElement('dl', { class: 'statistics', hidden: true, attributes: { dir: 'auto' } })
	player.root.append(list)
	let timer: number | undefined

	const megabits = (bitsPerSecond: number) => `${(bitsPerSecond / 1_000_000).toFixed(1)} Mb/s`
	const bufferedSec = () => Math.max(0, findBufferedEnd(media) - media.currentTime)
	const draw = () => {
		const rendition = engine()?.rendition()
		const { droppedVideoFrames, totalVideoFrames } = media.getVideoPlaybackQuality()
		const rows = {
			[messages.quality]: rendition
				? `${rendition.width}×${rendition.height}, ${megabits(rendition.bitrate)}`
				: '–',
			[messages.statBandwidth]: megabits(engine()?.bandwidth() ?? 0),
			[messages.statBuffer]: `${bufferedSec().toFixed(1)} s`,
			[messages.statDropped]: `${droppedVideoFrames} / ${totalVideoFrames}`,
			[messages.statReport]: reportId,
		}
		list.replaceChildren(
			...Object.entries(rows).map(([name, value]) =>
				createElement('div', {}, [
					createElement('dt', { text: name }),
					createElement('dd', { text: value, attributes: { dir: 'ltr' } }),
				]),
			),
		)
	}
	return {
		isShown: () => !list.hidden,
		toggle() {
			list.hidden = !list.hidden
			window.clearInterval(timer)
			if (list.hidden) return
			draw()
			timer = window.setInterval(draw, UPDATE_MS)
		},
	}
}
