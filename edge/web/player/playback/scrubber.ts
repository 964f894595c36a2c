import Hls from 'hls.js'
import type { Scrubber } from './engine-types.ts'

const CACHE_BYTES = 4_000_000

/** Shows single frames of the video from its I-frame playlists, each within one small request. */
export function createScrubber(hls: Hls, media: HTMLVideoElement): Scrubber | null {
	const frames = hls.createIFramePlayer({ iframeCacheLimit: CACHE_BYTES, capLevelToPlayerSize: true })
	if (!frames) return null
	let hasFailed = false
	frames.on(Hls.Events.ERROR, (_, { fatal }) => {
		if (fatal) hasFailed = true
	})
	frames.attachMedia(media)
	return {
		showAt(sec) {
			if (!hasFailed) frames.loadMediaAt(sec)
		},
		destroy: () => frames.destroy(),
	}
}
