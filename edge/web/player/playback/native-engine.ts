import { AUTO_QUALITY } from './auto-quality.ts'
import type { EngineOptions } from './engine.ts'
import type { Engine, Problem } from './engine-types.ts'
import { addToken } from './token-path.ts'

const RETRY_MS = 5_000

/** Plays with the browser's own HLS player, which selects the quality and reports few error details. */
export function createNativeEngine({ media, video, position, events }: EngineOptions): Engine {
	let path = video.manifestPath
	let loadedPath: string | null = null

	const load = () => {
		const sec = position.sec()
		loadedPath = path
		media.src = path
		media.currentTime = sec
	}
	const loadAgain = () => {
		load()
		if (events.wantsToPlay()) media.play().catch(() => undefined)
	}
	const loadAfterError = () => {
		if (media.error) loadAgain()
	}
	media.addEventListener('error', async () => {
		const problem = await findProblem(path)
		if (!media.error) return
		// These requests still had the former token.
		if (loadedPath !== path) return loadAgain()
		events.onProblem(problem)
		if (problem === 'reconnecting') window.setTimeout(loadAfterError, RETRY_MS)
	})
	media.addEventListener('playing', () => events.onProblem(null))
	window.addEventListener('online', loadAfterError)
	return {
		load() {
			if (loadedPath === null) load()
		},
		isLoading: () => loadedPath !== null,
		preloadLowest() {},
		hasLowest: () => false,
		seek: (sec) => {
			media.currentTime = sec
		},
		expectPlay() {},
		refresh() {},
		qualities: () => [],
		quality: () => AUTO_QUALITY,
		playingQuality: () => null,
		setQuality() {},
		rendition: () => null,
		frameRate: () => null,
		loadedMs: () => new Map(),
		errorCode: () => (media.error ? `media-error-${media.error.code}` : null),
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
			path = addToken(path, token)
			loadAfterError()
		},
		retry: loadAgain,
	}
}

/** Returns why the browser could not load a playlist or its files, by requesting it. */
async function findProblem(path: string): Promise<Problem> {
	const response = await fetch(path, { cache: 'no-store' }).catch(() => null)
	if (response?.status === 401 || response?.status === 403) return 'expired'
	return response && response.status < 500 ? 'failed' : 'reconnecting'
}
