import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { type Position, trackPosition } from '../../../../../edge/web/player/playback/position.ts'

class FakeVideo extends EventTarget {
	readyState = 0
	currentTime = 0
	error: object | null = null
	happen(event: string) {
		this.dispatchEvent(new Event(event))
	}
}

vi.stubGlobal('HTMLMediaElement', { HAVE_NOTHING: 0 })
afterAll(() => void vi.unstubAllGlobals())

let video: FakeVideo
let position: Position
beforeEach(() => {
	video = new FakeVideo()
	position = trackPosition(video as unknown as Parameters<typeof trackPosition>[0])
	position.set(7)
})

const play = (sec: number) => {
	Object.assign(video, { readyState: 4, currentTime: sec })
	video.happen('timeupdate')
}

test('the position is the requested one until the video plays there', () => {
	expect(position.sec()).toBe(7)
	video.readyState = 1
	expect(position.sec()).toBe(7)
	play(7.2)
	expect(position.sec()).toBe(7.2)
	video.currentTime = 7.4
	expect(position.sec()).toBe(7.4)
})

test('the position is kept while the video is attached again', () => {
	play(50)
	Object.assign(video, { readyState: 0, currentTime: 0 })
	video.happen('emptied')
	video.happen('timeupdate')
	video.readyState = 1
	expect(position.sec()).toBe(50)
})

test('the position is the target of a seek at once, with and without media', () => {
	play(50)
	position.set(3)
	expect(position.sec()).toBe(3)
	Object.assign(video, { readyState: 0, currentTime: 0 })
	position.set(0)
	expect(position.sec()).toBe(0)
})

test('the position after an error is that of the error', () => {
	play(50)
	Object.assign(video, { error: {}, currentTime: 0 })
	expect(position.sec()).toBe(50)
})
