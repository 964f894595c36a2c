import { EventEmitter } from 'node:events'
import Hls from 'hls.js'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
	type DecoderRecovery,
	recoverDecoder,
} from '../../../../../edge/web/player/playback/decoder-recovery.ts'

class FakeHls extends EventEmitter {
	levels = []
	audioTracks = []
	config = {}
	recoverMediaError() {}
}

class FakeVideo extends EventTarget {
	readyState = 4
	happen(event: string) {
		this.dispatchEvent(new Event(event))
	}
}

vi.stubGlobal('HTMLMediaElement', { HAVE_NOTHING: 0 })
vi.stubGlobal('document', { hidden: false })
afterAll(() => void vi.unstubAllGlobals())

describe('segment requests after a decoder error', () => {
	let hls: FakeHls
	let video: FakeVideo
	let sec: number
	let recovery: DecoderRecovery
	let request: AbortController
	beforeEach(() => {
		hls = new FakeHls()
		video = new FakeVideo()
		sec = 10
		request = new AbortController()
		const position = { sec: () => sec, set: () => undefined }
		recovery = recoverDecoder(
			hls as unknown as Hls,
			video as unknown as Parameters<typeof recoverDecoder>[1],
			position,
			{ startedAtSec: () => 0, start() {}, stop() {}, restart() {} },
		)
	})

	/** Requests a segment, and returns whether it is held by now. */
	function hold(startSec: number) {
		let isHeld = true
		const due = recovery.untilDue(startSec, request.signal)
		const endHold = () => {
			isHeld = false
		}
		if (due) void due.then(endHold)
		else endHold()
		return async () => {
			await Promise.resolve()
			return isHeld
		}
	}

	const steps: Record<string, () => unknown> = {
		'the video has come near': () => {
			sec = 15.5
			video.happen('timeupdate')
		},
		'the video waits for data': () => video.happen('waiting'),
		'the damage is forgotten': () => recovery.forget(),
		'the viewer tries again': () => recovery.retry(),
		'the video has played past the damage': () => {
			sec = 15.1
			hls.emit(Hls.Events.FRAG_CHANGED)
		},
		'the request is aborted': () => request.abort(),
	}
	test.each(Object.entries(steps))(
		'a segment request after a decoder error waits until %s',
		async (_, step) => {
			expect(await hold(16)()).toBe(false)
			recovery.recover()
			const isHeld = hold(16)
			sec = 14.9
			video.happen('timeupdate')
			hls.emit(Hls.Events.FRAG_CHANGED)
			expect(await isHeld()).toBe(true)
			step()
			expect(await isHeld()).toBe(false)
		},
	)

	test('a segment request after a decoder error waits alone, and others proceed when they are due', async () => {
		recovery.recover()
		const near = hold(16)
		const far = hold(20)
		sec = 15.5
		video.happen('timeupdate')
		expect([await near(), await far()]).toEqual([false, true])
		expect(recovery.untilDue(16, request.signal)).toBeNull()
	})

	test('a segment request waits while the video has no media, although the video waits', async () => {
		recovery.recover()
		const isHeld = hold(16)
		video.readyState = 0
		video.happen('waiting')
		expect(await isHeld()).toBe(true)
	})
})
