import { describe, expect, test } from 'vitest'
import { openScript } from './playback-script.ts'

describe('the log of a playback with seeks', () => {
	test('the playback log counts waiting for data after a seek as seek time', () => {
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

	test('the playback log waits for data after a seek that the browser finished early', () => {
		const script = openScript()
		script.start()
		script.play(3_000)
		script.happen('seeking', 'seeked', 'waiting')
		script.wait(900)
		script.happen('playing')
		expect(script.state()).toMatchObject({ seekMs: 900, stalls: 0 })
	})

	test('the playback log counts one seek while the viewer drags, and seeks of a paused video', () => {
		const script = openScript()
		script.start()
		script.play(1_000)
		script.happen('seeking', 'seeking', 'seeking', 'seeked', 'playing', 'pause')
		script.seek(40, 100)
		expect(script.state()).toMatchObject({ seeks: 2 })
	})

	test('a paused video that seeks is paused again in the playback log', () => {
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

	test('the playback log adds what was played between the last position and a seek', () => {
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
			'a part begins at the position of a seek, although the page notices %d s later that it plays',
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

		test('a part begins at the position of a pause, although the page notices later that it plays', () => {
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

	test('the playback log counts what played before a busy page noticed, before a seek or a new speed', () => {
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

	test('the playback log counts nothing as played when the viewer seeks before there is media', () => {
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

	test('a part begins at the position that a seek of a paused video has reached', () => {
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

	test('the playback log counts a seek once, although each event until its end reports it', () => {
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

	test('the playback log does not count the skipped part if the viewer seeks after a pause', () => {
		const script = openScript()
		script.start()
		script.play(10_000)
		script.happen('pause')
		script.wait(8_000)
		// Firefox and Safari send `seeking` after `play` and `waiting`.
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

	test('an aborted seek ends in the playback log when the video plays', () => {
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

	test('the way from the first segment to the requested start does not end the startup', () => {
		const script = openScript({ sec: 170 })
		script.happen('play', 'waiting')
		script.jump(169.5, 'timeupdate')
		script.wait(110)
		script.jump(170, 'timeupdate')
		expect(script.state()).toMatchObject({ startupMs: null, waitedMs: 110 })
		script.wait(40)
		script.happen('playing')
		script.play(1_000)
		expect(script.state()).toMatchObject({ startupMs: 150, watchedMs: 1_000, played: [1700, 1710] })
	})

	test('a start to which the viewer seeks back before the first frame counts as the start', () => {
		const script = openScript({ sec: 170 })
		script.happen('play', 'waiting')
		script.wait(100)
		script.jump(20, 'seeking')
		script.wait(100)
		script.happen('seeked', 'playing')
		script.play(1_000)
		expect(script.state()).toMatchObject({ startupMs: 200, watchedMs: 1_000, played: [200, 210] })
	})

	test('a gap that is skipped before the first frame does not end the startup', () => {
		const script = openScript()
		script.happen('play', 'waiting')
		script.wait(500)
		script.jump(0.08, 'timeupdate')
		script.happen('seeking')
		script.wait(5_000)
		expect(script.state()).toMatchObject({ startupMs: null, waitedMs: 5_500, watchedMs: 0, played: [] })
	})

	test('the playback log continues a span although the position moves back a little in a stall or pause', () => {
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

	test('the playback log counts a repeated part as often as it is played', () => {
		const script = openScript()
		script.start()
		for (let i = 0; i < 3; i++) {
			script.play(2_000)
			script.seek(0, 0)
		}
		expect(script.state().played).toEqual([0, 20, 0, 20, 0, 20])
	})

	test('the playback log begins a span after a seek to the same position, and none for jitter', () => {
		const script = openScript()
		script.start()
		script.play(2_000)
		script.seek(2, 100)
		script.play(1_000)
		script.log.record({ kind: 'timeupdate' }, 2.99)
		script.play(1_000)
		expect(script.state().played).toEqual([0, 20, 20, 40])
	})
})
