import { describe, expect, test } from 'vitest'
import { PlaybackState } from '../../../../../schema/contract/watch/analytics/playback-state.ts'
import { openScript } from './playback-script.ts'

const SHOWN = { height: 360, bitrate: 800, upscale: 0.5 }

describe('the log of a playback', () => {
	test('the playback log counts the time to the first frame as waiting, and later time as watched', () => {
		const script = openScript()
		script.happen('play', 'waiting')
		script.wait(700)
		expect(script.state()).toMatchObject({ activity: 'starting', waitedMs: 700, startupMs: null })
		script.happen('playing')
		script.wait(100)
		script.play(5_000)
		expect(script.state()).toMatchObject({
			activity: 'playing',
			startupMs: 800,
			waitedMs: 800,
			watchedMs: 5_000,
			positionMs: 5_000,
			played: [0, 50],
			stalls: 0,
		})
	})

	test('the playback log counts the wait for a video that never starts, without its pauses', () => {
		const script = openScript()
		script.happen('play', 'waiting')
		script.wait(4_000)
		script.happen('pause')
		script.wait(60_000)
		script.happen('play')
		script.wait(1_000)
		expect(script.state()).toMatchObject({
			activity: 'starting',
			startupMs: null,
			waitedMs: 5_000,
			watchedMs: 0,
			played: [],
		})
	})

	test('the playback log does not count a pause, and continues the same span after it', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.happen('pause')
		script.wait(600_000)
		expect(script.state()).toMatchObject({ activity: 'paused', watchedMs: 3_000 })
		script.happen('play', 'playing')
		script.play(2_000)
		expect(script.state()).toMatchObject({ watchedMs: 5_000, played: [0, 50] })
	})

	test('the playback log counts a stall as watched, and continues the same span after it', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.happen('waiting')
		script.wait(2_000)
		expect(script.state()).toMatchObject({ activity: 'stalled', stalls: 1, stalledMs: 2_000 })
		script.happen('waiting', 'playing')
		script.play(1_000)
		expect(script.state()).toMatchObject({ stalls: 1, stalledMs: 2_000, watchedMs: 6_000, played: [0, 40] })
	})

	test('a stall continues although the position moves a little after it began', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.happen('waiting')
		script.playSilently(20)
		script.happen('timeupdate')
		script.wait(5_000)
		expect(script.state()).toMatchObject({ activity: 'stalled', watchedMs: 8_000, stalledMs: 5_000 })
		script.happen('playing')
		script.play(1_000)
		expect(script.state()).toMatchObject({ watchedMs: 9_020, stalledMs: 5_000, played: [0, 40] })
	})

	test('a moving position ends a stall although the browser does not report that it plays', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.happen('waiting')
		script.wait(1_000)
		script.play(1_000)
		expect(script.state()).toMatchObject({
			activity: 'playing',
			stalls: 1,
			stalledMs: 1_000,
			watchedMs: 5_000,
		})
	})

	test('the playback log measures watched time by the clock, at every speed', () => {
		const script = openScript()
		script.start()
		script.play(2_000)
		script.setRate(2)
		script.play(3_000)
		expect(script.state()).toMatchObject({ watchedMs: 5_000, played: [0, 80] })
	})

	test('the playback log keeps at most 1,000 spans', () => {
		const script = openScript()
		script.start()
		for (let i = 0; i < 1_100; i++) {
			script.play(500)
			script.seek(i, 0)
		}
		expect(script.state().played.length).toBe(2_000)
		expect(script.state().watchedMs).toBe(550_000)
	})

	test('the playback log does not count the time that the machine slept', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.wait(3 * 3_600_000)
		script.play(1_000)
		expect(script.state().watchedMs).toBe(4_000)
		script.wait(3_600_000)
		expect(script.state().watchedMs).toBeLessThanOrEqual(6_000)
	})

	test('the playback log counts a hidden page whose browser seldom reports the position', () => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.playSilently(60_000)
		script.happen('timeupdate')
		expect(script.state()).toMatchObject({ watchedMs: 61_000, played: [0, 610] })
	})

	test('the playback log does not count a position as played that the browser jumped to', () => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.log.record({ kind: 'timeupdate' }, 70)
		expect(script.state().played).toEqual([0, 10])
	})

	test('the playback log sums up which qualities were shown and loaded', () => {
		const script = openScript()
		script.record({ kind: 'rendition', rendition: SHOWN })
		script.record({ kind: 'delivered', height: 360, ms: 4_000 })
		script.start(1_000)
		script.play(2_000)
		script.happen('waiting')
		script.wait(9_000)
		script.happen('playing')
		script.record({ kind: 'rendition', rendition: SHOWN })
		script.record({ kind: 'rendition', rendition: { height: 720, bitrate: 2_000, upscale: 0 } })
		script.record({ kind: 'delivered', height: 720, ms: 4_000 })
		script.record({ kind: 'delivered', height: 720, ms: 4_000 })
		script.record({ kind: 'dropped', frames: 3 })
		script.play(1_000)
		script.record({ kind: 'rendition', rendition: SHOWN })
		expect(script.state()).toMatchObject({
			renditionMs: { 360: 2_000, 720: 1_000 },
			deliveredMs: { 360: 4_000, 720: 8_000 },
			bitrateMs: 800 * 2_000 + 2_000 * 1_000,
			upscaleMs: 1_000,
			upscaleMax: 0.5,
			renditionsUp: 1,
			renditionsDown: 1,
			droppedFrames: 3,
		})
	})

	test.each(['ended', 'failed'] as const)('the playback log changes no more once playback has %s', (kind) => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.record(kind === 'failed' ? { kind, code: 'bufferAppendError' } : { kind })
		const before = script.state()
		expect(before).toMatchObject({ activity: kind, error: kind === 'failed' ? 'bufferAppendError' : null })
		script.happen('seeking', 'seeked', 'playing')
		script.play(1_000)
		expect({ ...script.state(), positionMs: 0 }).toEqual({ ...before, positionMs: 0 })
	})

	test('the playback log measures how long the viewer has been idle', () => {
		const script = openScript()
		script.start(1_000)
		script.play(2_000)
		expect(script.log.idleMs()).toBe(0)
		script.happen('pause')
		script.wait(7_000)
		expect(script.log.idleMs()).toBe(7_000)
		script.happen('play')
		expect(script.log.idleMs()).toBe(0)
	})

	test('the playback log yields states that the contract accepts', () => {
		const script = openScript()
		script.record({ kind: 'rendition', rendition: { ...SHOWN, upscale: Number.POSITIVE_INFINITY } })
		script.record({ kind: 'rendition', rendition: { ...SHOWN, height: 0 } })
		script.start(123.456)
		script.play(1_234.567)
		script.seek(1.00001, 7.89)
		expect(PlaybackState.parse({ seq: 1, ...script.state() })).toEqual({ seq: 1, ...script.state() })
	})
})
