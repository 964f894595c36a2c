import { EventEmitter } from 'node:events'
import type Hls from 'hls.js'
import type { ErrorData, Fragment } from 'hls.js'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Holes, healHoles } from '../../../../../edge/web/player/playback/holes/holes.ts'
import { makeInit } from './audio-init.ts'

class FakeHls extends EventEmitter {
	latestLevelDetails = { edge: 60 }
}

class FakeVideo extends EventTarget {
	readyState = 4
	currentTime = 8
	buffered = { length: 0 }
}

vi.stubGlobal('HTMLMediaElement', { HAVE_NOTHING: 0 })
afterAll(() => void vi.unstubAllGlobals())

const AAC_LC = 2
const HE_AAC = 5

const audioSegment = (kind: number, sn: number) =>
	({
		type: 'audio',
		level: 0,
		sn,
		start: sn * 4,
		end: sn * 4 + 4,
		duration: 4,
		initSegment: { data: makeInit(kind, 2) },
	}) as unknown as Fragment

describe('a missing audio segment', () => {
	let holes: Holes
	let video: FakeVideo
	let hls: FakeHls
	const notes: string[] = []
	beforeEach(() => {
		hls = new FakeHls()
		video = new FakeVideo()
		notes.length = 0
		holes = healHoles({
			hls: hls as unknown as Hls,
			media: video as unknown as Parameters<typeof healHoles>[0]['media'],
			position: { sec: () => video.currentTime, set: () => undefined },
			loading: { startedAtSec: () => 0, start() {}, stop() {}, restart() {} },
			onHole: (hole) => void notes.push(hole),
		})
	})

	/** Fails a segment three times, and returns whether each error was handled. */
	const fail = (frag: Fragment) =>
		[1, 2, 3].map(() => holes.heal({ frag, response: { code: 404 } } as unknown as ErrorData))

	test('a missing audio segment of AAC-LC is replaced with silence', () => {
		const frag = audioSegment(AAC_LC, 2)
		expect(fail(frag)).toEqual([false, false, true])
		expect(holes.replace({ frag })).toBeInstanceOf(Uint8Array)
		expect(video.currentTime).toBe(8)
	})

	test('a missing audio segment of another codec is skipped, with a note', () => {
		const frag = audioSegment(HE_AAC, 2)
		expect(fail(frag)).toEqual([false, false, true])
		expect(holes.replace({ frag })).toBeNull()
		expect([video.currentTime, notes]).toEqual([12, ['skipped']])
	})

	test('the player skips at most three audio segments in a row, even if the video is intact', () => {
		const skip = (sn: number) => {
			hls.emit('hlsFragBuffered', 'hlsFragBuffered', { frag: { type: 'main', sn } })
			return fail(audioSegment(HE_AAC, sn)).at(-1)
		}
		expect([2, 3, 4, 5].map(skip)).toEqual([true, true, true, false])
		hls.emit('hlsFragBuffered', 'hlsFragBuffered', { frag: { type: 'audio', sn: 6 } })
		expect(skip(7)).toBe(true)
	})
})
