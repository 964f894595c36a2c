import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PlaybackState } from '../../../../../schema/contract/watch/analytics/playback-state.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { openScript, type Script } from './playback-script.ts'

const ms = fc.integer({ min: 1, max: 20_000 })

/** What a viewer and a network do. The video plays again after each step that does not pause it. */
const step = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant('play' as const), ms }) },
	fc.record({ kind: fc.constant('pause' as const), ms }),
	fc.record({ kind: fc.constant('stall' as const), ms }),
	fc.record({ kind: fc.constant('seek' as const), ms, sec: fc.integer({ min: 0, max: 5_000 }) }),
	fc.record({ kind: fc.constant('lateSeek' as const), ms, sec: fc.integer({ min: 0, max: 5_000 }) }),
	fc.record({ kind: fc.constant('seekPaused' as const), ms, sec: fc.integer({ min: 0, max: 5_000 }) }),
	fc.record({ kind: fc.constant('rate' as const), rate: fc.constantFrom(0.25, 0.5, 1, 1.5, 2) }),
	fc.record({ kind: fc.constant('show' as const), height: fc.constantFrom(240, 360, 720) }),
	fc.record({ kind: fc.constant('sleep' as const), ms: fc.integer({ min: 10_000, max: 10_000_000 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** What a naive program knows from the whole list of steps. */
type Oracle = { playedSec: number; watchedMs: number; stalls: number; stalledMs: number; seeks: number }

function take(script: Script, each: Step, oracle: Oracle, rate: number): number {
	switch (each.kind) {
		case 'play':
			script.play(each.ms)
			oracle.playedSec += (each.ms * rate) / 1_000
			oracle.watchedMs += each.ms
			break
		case 'pause':
			script.happen('pause')
			script.wait(each.ms)
			script.happen('play', 'playing')
			break
		case 'stall':
			script.happen('waiting')
			script.wait(each.ms)
			script.happen('playing')
			oracle.stalls++
			oracle.stalledMs += each.ms
			oracle.watchedMs += each.ms
			break
		case 'seek':
			script.seek(each.sec, each.ms)
			oracle.seeks++
			break
		case 'lateSeek':
			// The video already plays when the browser reports the end of the seek.
			script.jump(each.sec, 'seeking')
			script.wait(300)
			script.playSilently(each.ms)
			script.happen('timeupdate', 'seeked', 'playing')
			oracle.playedSec += (each.ms * rate) / 1_000
			oracle.watchedMs += each.ms
			oracle.seeks++
			break
		case 'seekPaused':
			script.happen('pause')
			script.seekPaused(each.sec, each.ms)
			script.happen('play', 'playing')
			oracle.seeks++
			break
		case 'rate':
			script.setRate(each.rate)
			return each.rate
		case 'show':
			script.record({ kind: 'rendition', rendition: { height: each.height, bitrate: 500, upscale: 0 } })
			break
		case 'sleep':
			script.wait(each.ms)
	}
	return rate
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((total, each) => total + each, 0)

/** The numbers that may never become smaller. */
function countersOf(state: ReturnType<Script['state']>): number[] {
	const { played, renditionMs, watchedMs, waitedMs, stalls, stalledMs, seeks, seekMs } = state
	const { bitrateMs, upscaleMs, upscaleMax, renditionsUp, renditionsDown, startupMs } = state
	const playedSum = sum(played.map((time, at) => (at % 2 === 0 ? -time : time)))
	return [
		...[watchedMs, waitedMs, stalls, stalledMs, seeks, seekMs, bitrateMs, upscaleMs, upscaleMax],
		...[renditionsUp, renditionsDown, startupMs ?? 0, playedSum, sum(Object.values(renditionMs))],
	]
}

test('no counter of the log decreases, and the totals equal a naive program, in any order of events', () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isReadOften) => {
			const script = openScript()
			script.start(400)
			script.play(500)
			const oracle: Oracle = { playedSec: 0.5, watchedMs: 500, stalls: 0, stalledMs: 0, seeks: 0 }
			let rate = 1
			let before = countersOf(script.state())
			for (const each of steps) {
				rate = take(script, each, oracle, rate)
				if (!isReadOften) continue
				const after = countersOf(script.state())
				for (const [at, value] of after.entries()) expect(value).toBeGreaterThanOrEqual(before[at] ?? 0)
				before = after
			}
			const state = script.state()
			expect(PlaybackState.safeParse({ seq: 1, ...state }).error).toBeUndefined()
			const { stalls, stalledMs, seeks } = oracle
			expect(state).toMatchObject({ stalls, stalledMs, seeks, startupMs: 400 })
			const playedSec = sum(state.played.map((time, at) => (at % 2 === 0 ? -time : time))) / 10
			// Each end of a span is rounded to a tenth of a second.
			const rounding = 0.1 * (state.played.length + 1)
			expect(Math.abs(playedSec - oracle.playedSec)).toBeLessThanOrEqual(rounding)
			// A machine that falls asleep is noticed after two seconds.
			const sleeps = steps.filter(({ kind }) => kind === 'sleep').length
			expect(state.watchedMs).toBeGreaterThanOrEqual(oracle.watchedMs - 1)
			expect(state.watchedMs).toBeLessThanOrEqual(oracle.watchedMs + 1 + sleeps * 2_000)
			expect(state.watchedMs).toBeLessThanOrEqual(script.elapsedMs())
		}),
		{ numRuns: propertyRuns(150) },
	)
})

test('no counter of the log decreases, and nothing is watched faster than time passes', () => {
	const kind = fc.constantFrom(
		...(['play', 'playing', 'pause', 'seeking', 'seeked', 'waiting', 'timeupdate'] as const),
	)
	const report = fc.record({
		kind,
		waitMs: fc.integer({ min: 0, max: 5_000 }),
		moveSec: fc.double({ min: -20, max: 20, noNaN: true }),
	})
	fc.assert(
		fc.property(fc.array(report, { maxLength: 100 }), (reports) => {
			const script = openScript({ sec: 1_000 })
			let sec = 1_000
			let before = countersOf(script.log.state(sec))
			for (const { kind: reported, waitMs, moveSec } of reports) {
				script.wait(waitMs)
				sec = Math.max(0, sec + moveSec)
				script.log.record({ kind: reported }, sec)
				const state = script.log.state(sec)
				const after = countersOf(state)
				for (const [at, value] of after.entries()) expect(value).toBeGreaterThanOrEqual(before[at] ?? 0)
				before = after
				expect(state.watchedMs).toBeLessThanOrEqual(script.elapsedMs())
				expect(PlaybackState.safeParse({ seq: 1, ...state }).error).toBeUndefined()
			}
		}),
		{ numRuns: propertyRuns(150) },
	)
})
