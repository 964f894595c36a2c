import { describe, expect, test } from 'vitest'
import { PlaybackState } from '../../../../../schema/contract/video/analytics/playback-state.ts'
import { openScript } from './playback-script.ts'

const SHOWN = { height: 360, bitrate: 800, upscale: 0.5 }

describe('the log of a playback', () => {
	test('counts the time until the first frame as waiting, and the time after it as watched', () => {
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

	test('counts how long a viewer waited for a video that never starts, without the time it was paused', () => {
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

	test('does not count a pause, and continues the same span after it', () => {
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

	test('counts a stall as watched, and continues the same span after it', () => {
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

	test('a stall goes on although the position moves a little after it began', () => {
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

	test('a position that moves ends a stall although the browser does not report that it plays', () => {
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

	test('counts waiting for data after a seek as time of the seek', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.seek(60, 1_500)
		script.play(2_000)
		script.seek(1, 500)
		script.play(1_000)
		expect(script.state()).toMatchObject({
			seeks: 2,
			seekMs: 2_000,
			stalls: 0,
			stalledMs: 0,
			watchedMs: 6_000,
			played: [0, 30, 600, 620, 10, 20],
		})
	})

	test('waits for data after a seek that the browser finished early', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.happen('seeking', 'seeked', 'waiting')
		script.wait(900)
		script.happen('playing')
		expect(script.state()).toMatchObject({ seekMs: 900, stalls: 0 })
	})

	test('counts one seek while the viewer drags, and seeks of a paused video', () => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.happen('seeking', 'seeking', 'seeking', 'seeked', 'playing', 'pause')
		script.seek(40, 100)
		expect(script.state()).toMatchObject({ seeks: 2 })
	})

	test('a paused video that seeks is paused again', () => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.happen('pause', 'seeking')
		script.wait(200)
		expect(script.state()).toMatchObject({ activity: 'seeking' })
		script.happen('seeked')
		script.wait(5_000)
		expect(script.state()).toMatchObject({ activity: 'paused', seekMs: 200, watchedMs: 1_000 })
	})

	test('adds what was played between the last reported position and a seek', () => {
		const script = openScript()
		script.start()
		script.play(2_000)
		script.playSilently(200)
		script.seek(100, 0)
		script.play(1_000)
		expect(script.state().played).toEqual([0, 22, 1_000, 1_010])
	})

	describe.each([1, 2])('on a busy page, at speed %d', (rate) => {
		test.each([0.4, 1.4, 10])(
			'begins a part where it was sought, %d s before the page learns that it plays',
			(sec) => {
				const script = openScript()
				script.start()
				script.setRate(rate)
				script.play(2_000)
				script.jump(60, 'seeking')
				script.wait(500)
				script.playSilently(sec * 1_000)
				script.happen('timeupdate')
				const early = script.state()
				script.happen('seeked', 'playing')
				script.play(1_000)
				expect(script.state()).toMatchObject({
					watchedMs: 3_000 + sec * 1_000,
					seekMs: 500,
					played: [0, 20 * rate, 600, 600 + (10 * sec + 10) * rate],
				})
				expect(early.seekMs).toBe(500)
			},
		)

		test('begins a part where it was paused', () => {
			const script = openScript()
			script.start()
			script.setRate(rate)
			script.seek(60, 0)
			script.play(1_000)
			script.happen('pause')
			script.wait(5_000)
			script.playSilently(300)
			script.happen('timeupdate', 'play', 'playing')
			script.play(1_000)
			expect(script.state()).toMatchObject({ watchedMs: 2_300, played: [600, 600 + 23 * rate] })
		})
	})

	test('counts what a busy page learned late also if the viewer seeks again, or changed the speed meanwhile', () => {
		const script = openScript()
		script.start()
		script.play(2_000)
		script.jump(60, 'seeking')
		script.wait(500)
		script.playSilently(4_000)
		script.happen('timeupdate')
		script.setRate(2)
		script.happen('seeked', 'playing')
		script.play(1_000)
		script.jump(30, 'seeking')
		script.playSilently(1_000)
		script.happen('timeupdate')
		script.jump(10, 'seeking', 'timeupdate')
		script.happen('seeked', 'playing')
		script.play(1_000)
		expect(script.state()).toMatchObject({
			watchedMs: 9_000,
			seekMs: 500,
			seeks: 2,
			played: [0, 20, 600, 660, 300, 320, 100, 120],
		})
	})

	test('does not take a position that was chosen without media for one that was played', () => {
		const script = openScript()
		script.happen('play', 'waiting')
		script.wait(1_000)
		script.happen('pause')
		script.wait(7_000)
		script.jump(5, 'seeking')
		script.wait(1_000)
		script.happen('play', 'waiting')
		script.wait(3_000)
		script.jump(8, 'seeking')
		script.wait(3_000)
		script.happen('seeking')
		script.wait(100)
		script.happen('seeked', 'playing')
		script.play(1_000)
		expect(script.state()).toMatchObject({
			startupMs: 7_100,
			waitedMs: 7_100,
			watchedMs: 1_000,
			seeks: 0,
			played: [80, 90],
		})
	})

	test('begins a part where a seek of a paused video has ended', () => {
		const script = openScript()
		script.start()
		script.play(2_000)
		script.happen('pause')
		script.jump(60, 'seeking')
		script.wait(1_000)
		script.jump(60.8)
		script.happen('seeked')
		script.wait(60_000)
		script.happen('play', 'playing')
		script.play(1_000)
		expect(script.state()).toMatchObject({ watchedMs: 3_000, seekMs: 1_000, played: [0, 20, 608, 618] })
	})

	test('counts a seek once that is reported with each event until it has ended, as when a part repeats', () => {
		const script = openScript({ sec: 5 })
		script.start()
		for (let i = 0; i < 3; i++) {
			script.play(2_000)
			script.playSilently(200)
			script.jump(5, 'seeking', 'timeupdate')
			script.wait(60)
			script.happen('seeking', 'seeking', 'seeked', 'playing')
		}
		script.play(1_000)
		expect(script.state()).toMatchObject({
			watchedMs: 7_600,
			seekMs: 180,
			seeks: 3,
			played: [50, 72, 50, 72, 50, 72, 50, 60],
		})
	})

	test('does not count what a viewer skips who plays on elsewhere after a pause', () => {
		const script = openScript()
		script.start()
		script.play(10_000)
		script.happen('pause')
		script.wait(8_000)
		// Firefox and Safari report the seek last.
		script.jump(15, 'seeking')
		script.happen('play', 'seeking', 'waiting', 'seeking')
		script.wait(100)
		script.happen('timeupdate', 'seeked', 'playing')
		script.play(5_000)
		expect(script.state()).toMatchObject({
			watchedMs: 15_000,
			seekMs: 100,
			seeks: 1,
			played: [0, 100, 150, 200],
		})
	})

	test('ends a seek whose end is not reported when the video plays', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.jump(0, 'seeking')
		script.happen('waiting', 'play')
		script.wait(3_000)
		script.happen('seeked', 'playing')
		script.play(5_000)
		expect(script.state()).toMatchObject({ activity: 'playing', watchedMs: 8_000, seekMs: 3_000, seeks: 1 })
	})

	test('does not take a gap that is skipped before the start for the start', () => {
		const script = openScript()
		script.happen('play', 'waiting')
		script.wait(500)
		script.jump(0.08, 'timeupdate')
		script.happen('seeking')
		script.wait(5_000)
		expect(script.state()).toMatchObject({ startupMs: null, waitedMs: 5_500, watchedMs: 0, played: [] })
	})

	test('goes on with a part although the position goes back a little in a stall or a pause', () => {
		const script = openScript()
		script.start()
		script.play(10_000)
		script.happen('waiting')
		script.jump(9.94, 'timeupdate')
		script.wait(3_000)
		script.happen('playing')
		script.play(5_000)
		script.happen('pause')
		script.jump(14.9, 'timeupdate')
		script.happen('play', 'playing')
		script.play(5_000)
		expect(script.state().played).toEqual([0, 199])
	})

	test('counts a part that is played again as often as it is played', () => {
		const script = openScript()
		script.start()
		for (let i = 0; i < 3; i++) {
			script.play(2_000)
			script.seek(0, 0)
		}
		expect(script.state().played).toEqual([0, 20, 0, 20, 0, 20])
	})

	test('begins another span after a seek to the same position, and none if the position wavers', () => {
		const script = openScript()
		script.start()
		script.play(2_000)
		script.seek(2, 100)
		script.play(1_000)
		script.log.record({ kind: 'timeupdate' }, 2.99)
		script.play(1_000)
		expect(script.state().played).toEqual([0, 20, 20, 40])
	})

	test('measures what is watched by the clock, at every speed', () => {
		const script = openScript()
		script.start()
		script.play(2_000)
		script.setRate(2)
		script.play(3_000)
		expect(script.state()).toMatchObject({ watchedMs: 5_000, played: [0, 80] })
	})

	test('keeps at most 1,000 spans', () => {
		const script = openScript()
		script.start()
		for (let i = 0; i < 1_100; i++) {
			script.play(500)
			script.seek(i, 0)
		}
		expect(script.state().played.length).toBe(2_000)
		expect(script.state().watchedMs).toBe(550_000)
	})

	test('does not count the time that the machine slept', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.wait(3 * 3_600_000)
		script.play(1_000)
		expect(script.state().watchedMs).toBe(4_000)
		script.wait(3_600_000)
		expect(script.state().watchedMs).toBeLessThanOrEqual(6_000)
	})

	test('counts a hidden page whose browser seldom reports the position', () => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.playSilently(60_000)
		script.happen('timeupdate')
		expect(script.state()).toMatchObject({ watchedMs: 61_000, played: [0, 610] })
	})

	test('does not count a position as played that the browser jumped to', () => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.log.record({ kind: 'timeupdate' }, 70)
		expect(script.state().played).toEqual([0, 10])
	})

	test('sums up which qualities were shown and loaded', () => {
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

	test.each(['ended', 'failed'] as const)('changes no more once playback has %s', (kind) => {
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

	test('measures how long the viewer has been idle', () => {
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

	test('gives states that the contract accepts', () => {
		const script = openScript()
		script.record({ kind: 'rendition', rendition: { ...SHOWN, upscale: Number.POSITIVE_INFINITY } })
		script.record({ kind: 'rendition', rendition: { ...SHOWN, height: 0 } })
		script.start(123.456)
		script.play(1_234.567)
		script.seek(1.00001, 7.89)
		expect(PlaybackState.parse({ seq: 1, ...script.state() })).toEqual({ seq: 1, ...script.state() })
	})
})
