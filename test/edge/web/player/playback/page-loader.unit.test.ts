import Hls, {
	type LoaderCallbacks,
	type LoaderConfiguration,
	type LoaderContext,
	LoaderContextType,
} from 'hls.js'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { EarlySegment } from '../../../../../edge/web/player/playback/first-segments/early-segments.ts'
import { createPageLoader, type LoaderSource } from '../../../../../edge/web/player/playback/page-loader.ts'

const URL_IN_PAGE = 'https://video.example.org/media/v/master.m3u8'
const URL_REQUESTED = 'https://video.example.org/media/v/1.m4s'

const segment: EarlySegment = {
	requestedAt: 1,
	answeredAt: 2,
	receivedAt: 3,
	body: new ArrayBuffer(8),
	contentRange: null,
}

// hls.js expects the global object of browsers.
beforeAll(() => void vi.stubGlobal('self', globalThis))
afterAll(() => void vi.unstubAllGlobals())

/** Starts a request, and returns the loader with the answers of the request. */
function load(url: string, untilDue: LoaderSource['untilDue'] = () => null) {
	const Loader = createPageLoader({
		files: new Map([[URL_IN_PAGE, { text: '#EXTM3U' }]]),
		early: new Map([[URL_REQUESTED, Promise.resolve(segment)]]),
		token: null,
		untilDue,
		replaceSegment: () => null,
	})
	const loader = new Loader(Hls.DefaultConfig)
	const answers: unknown[] = []
	const callbacks: LoaderCallbacks<LoaderContext> = {
		onSuccess: ({ data }) => void answers.push(data),
		onError: () => undefined,
		onTimeout: () => undefined,
		onAbort: () => void answers.push('aborted'),
	}
	const config: LoaderConfiguration = {
		loadPolicy: Hls.DefaultConfig.manifestLoadPolicy.default,
		timeout: 0,
		maxRetry: 0,
		retryDelay: 0,
		maxRetryDelay: 0,
	}
	const context = { type: LoaderContextType.MANIFEST, url, responseType: '', frag: { start: 12, sn: 3 } }
	loader.load(context, config, callbacks)
	return { loader, answers }
}

test.each([
	['a file of the page', URL_IN_PAGE, '#EXTM3U'],
	['an early segment', URL_REQUESTED, segment.body],
])('the page loader answers with %s, unless the request is aborted first', async (_, url, data) => {
	const { answers } = load(url)
	const aborted = load(url)
	aborted.loader.abort()
	const destroyed = load(url)
	destroyed.loader.destroy()
	await new Promise((resolve) => setImmediate(resolve))
	expect(answers).toEqual([data])
	expect([aborted.answers, destroyed.answers]).toEqual([['aborted'], []])
})

describe('a delayed segment', () => {
	const { promise, resolve } = Promise.withResolvers<void>()
	const requested: string[] = []
	beforeAll(() => {
		class FakeRequest {
			readyState = 0
			open(_: string, url: string) {
				requested.push(url)
			}
			send() {}
			abort() {}
			setRequestHeader() {}
		}
		vi.stubGlobal('XMLHttpRequest', FakeRequest)
	})

	test('a delayed segment is requested when due, unless hls.js aborts it or destroys its loader', async () => {
		const signals: AbortSignal[] = []
		const untilDue: LoaderSource['untilDue'] = (startSec, signal) => {
			expect(startSec).toBe(12)
			signals.push(signal)
			return promise
		}
		const [kept, aborted, destroyed] = ['kept', 'aborted', 'destroyed'].map((name) =>
			load(`https://video.example.org/${name}.m4s`, untilDue),
		)
		aborted?.loader.abort()
		aborted?.loader.abort()
		destroyed?.loader.destroy()
		expect(signals.map((signal) => signal.aborted)).toEqual([false, true, true])
		expect(aborted?.answers).toEqual(['aborted'])
		expect(requested).toEqual([])
		resolve()
		await promise
		expect(requested).toEqual(['https://video.example.org/kept.m4s'])
		kept?.loader.abort()
		expect([kept?.answers, aborted?.answers, destroyed?.answers]).toEqual([['aborted'], ['aborted'], []])
	})
})
