import type Hls from 'hls.js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { controlLoading, type Loading } from '../../../../../edge/web/player/playback/loading.ts'

let sec: number
let calls: string[]
let loading: Loading

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
	vi.stubGlobal('window', globalThis)
	sec = 10
	calls = []
	const hls = {
		startLoad: (at: number) => void calls.push(`start at ${at}`),
		// hls.js hears of aborted requests some microtasks later.
		stopLoad() {
			calls.push('stop')
			void Promise.resolve()
				.then(() => undefined)
				.then(() => calls.push('aborted'))
		},
	}
	loading = controlLoading(hls as unknown as Hls, { sec: () => sec, set: () => undefined })
})

afterEach(() => {
	vi.unstubAllGlobals()
	vi.useRealTimers()
})

test('loading restarts at the current position after hls.js has handled the aborted requests', async () => {
	loading.restart()
	sec = 12
	await vi.runAllTimersAsync()
	expect(calls).toEqual(['stop', 'aborted', 'start at 12'])
	expect(loading.startedAtSec()).toBe(12)
})

test('loading that is restarted twice starts once', async () => {
	loading.restart()
	loading.restart()
	await vi.runAllTimersAsync()
	expect(calls.filter((call) => call.startsWith('start'))).toEqual(['start at 10'])
})

test('loading that is stopped does not start again', async () => {
	loading.restart()
	loading.stop()
	await vi.runAllTimersAsync()
	expect(calls).not.toContain('start at 10')
})
