import type { EngineOptions } from './engine.ts'
import type { Engine } from './engine-types.ts'
import { withToken } from './token-path.ts'

/** Plays with the HLS player of the browser, which chooses the quality itself. */
export function createNativeEngine({ media, video, events }: EngineOptions): Engine {
	let path = video.manifestPath
	const load = (startSec: number) => {
		media.src = path
		media.currentTime = startSec
	}
	media.addEventListener('error', () => events.onProblem(navigator.onLine ? 'failed' : 'reconnecting'))
	media.addEventListener('playing', () => events.onProblem(null))
	window.addEventListener('online', () => {
		if (media.error) load(media.currentTime)
	})
	return {
		load,
		seek: (sec) => {
			media.currentTime = sec
		},
		expectPlay() {},
		refresh() {},
		qualities: () => [],
		quality: () => -1,
		playingQuality: () => null,
		setQuality() {},
		audioTracks: () => [],
		audioTrack: () => -1,
		setAudioTrack() {},
		captionTracks: () => [],
		captionTrack: () => -1,
		setCaptionTrack() {},
		createScrubber: () => null,
		bandwidth: () => 0,
		manifestUrl: () => path,
		renewToken(token) {
			path = withToken(path, token)
			load(media.currentTime)
		},
		retry: () => load(media.currentTime),
	}
}
