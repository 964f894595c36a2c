import Hls, {
	type LoaderCallbacks,
	type LoaderConfiguration,
	type LoaderContext,
	LoaderContextType,
} from 'hls.js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { EarlySegment } from '../../../../../edge/web/player/playback/early-segments.ts'
import { pageLoader } from '../../../../../edge/web/player/playback/page-loader.ts'

const URL_IN_PAGE = 'https://video.example.org/media/v/master.m3u8'
const URL_REQUESTED = 'https://video.example.org/media/v/1.m4s'

const segment: EarlySegment = { requestedAt: 1, answeredAt: 2, receivedAt: 3, body: new ArrayBuffer(8) }

// hls.js expects the global object of browsers.
beforeAll(() => void vi.stubGlobal('self', globalThis))
afterAll(() => void vi.unstubAllGlobals())

/** Starts a request, and returns the loader with the answers of the request. */
function load(url: string) {
	const Loader = pageLoader({
		files: new Map([[URL_IN_PAGE, { text: '#EXTM3U' }]]),
		early: new Map([[URL_REQUESTED, Promise.resolve(segment)]]),
		token: null,
		untilDue: () => null,
	})
	const loader = new Loader(Hls.DefaultConfig)
	const answers: unknown[] = []
	const callbacks: LoaderCallbacks<LoaderContext> = {
		onSuccess: ({ data }) => void answers.push(data),
		onError: () => undefined,
		onTimeout: () => undefined,
	}
	const config: LoaderConfiguration = {
		loadPolicy: Hls.DefaultConfig.manifestLoadPolicy.default,
		timeout: 0,
		maxRetry: 0,
		retryDelay: 0,
		maxRetryDelay: 0,
	}
	loader.load({ type: LoaderContextType.MANIFEST, url, responseType: '' }, config, callbacks)
	return { loader, answers }
}

test.each([
	['a file of the page', URL_IN_PAGE, '#EXTM3U'],
	['an early segment', URL_REQUESTED, segment.body],
])('answers with %s, unless the request is aborted first', async (_, url, data) => {
	const { answers } = load(url)
	const aborted = load(url)
	aborted.loader.abort()
	const destroyed = load(url)
	destroyed.loader.destroy()
	await new Promise((resolve) => setImmediate(resolve))
	expect(answers).toEqual([data])
	expect([...aborted.answers, ...destroyed.answers]).toEqual([])
})
