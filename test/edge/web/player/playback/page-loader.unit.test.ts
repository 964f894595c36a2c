import Hls, {
	type LoaderCallbacks,
	type LoaderConfiguration,
	type LoaderContext,
	LoaderContextType,
} from 'hls.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
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
function load(url: string, untilDue: LoaderSource['untilDue'] = () => null, early = segment) {
	const Loader = createPageLoader({
		files: new Map([[URL_IN_PAGE, { text: '#EXTM3U' }]]),
		early: new Map([[URL_REQUESTED, Promise.resolve(early)]]),
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

describe('an XMLHttpRequest of the page loader', () => {
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
	beforeEach(() => void requested.splice(0))

	test('the beginning of a segment is answered with its rest, or requested whole if the rest has another length', async () => {
		vi.stubGlobal('window', { setTimeout: () => 0, clearTimeout: () => undefined })
		const beginning = { ...segment, contentRange: 'bytes 0-7/12' }
		const outcomes: unknown[] = []
		for (const length of [3, 4, 5]) {
			const ranges: unknown[] = []
			vi.stubGlobal('fetch', async (_: string, { headers }: { headers: { range: string } }) => {
				ranges.push(headers.range)
				return new Response(new Uint8Array(length).fill(length))
			})
			const { answers, loader } = load(URL_REQUESTED, undefined, beginning)
			await vi.waitFor(() => expect([...answers, ...requested]).toHaveLength(1))
			const [data] = answers
			outcomes.push([ranges, data instanceof ArrayBuffer ? [...new Uint8Array(data)] : data, [...requested]])
			requested.length = 0
			loader.destroy()
		}
		const rest = ['bytes=8-']
		expect(outcomes).toEqual([
			[rest, undefined, [URL_REQUESTED]],
			[rest, [...new Array(8).fill(0), 4, 4, 4, 4], []],
			[rest, undefined, [URL_REQUESTED]],
		])
	})

	test('a delayed segment is requested when due, unless hls.js aborts it or destroys its loader', async () => {
		const { promise, resolve } = Promise.withResolvers<void>()
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
