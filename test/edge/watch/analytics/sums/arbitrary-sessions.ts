import fc from 'fast-check'
import { Activity, PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import type { PlaybackSession } from '../../../../../edge/watch/analytics/sessions/session.ts'

const MAX_MS = 2_000_000_000

export const makeState = (state: Partial<PlaybackState> = {}): PlaybackState =>
	PlaybackState.parse({ seq: 1, activity: 'playing', positionMs: 0, watchedMs: 0, played: [], ...state })

export const makeSession = (
	state: Partial<PlaybackState> = {},
	session: Partial<PlaybackSession> = {},
): PlaybackSession => ({
	id: 'session',
	startedAt: 0,
	reportedAt: 0,
	audience: 'viewer',
	visitor: null,
	place: { device: 'desktop', browser: 'Firefox', country: 'DE', referrer: null, player: 'embed' },
	state: makeState(state),
	...session,
})

/** Spans of up to `maxTicks` tenths of a second. */
export const playedUpTo = (maxTicks: number, maxSpans = 12): fc.Arbitrary<number[]> =>
	fc
		.array(
			fc
				.tuple(fc.nat(maxTicks), fc.nat(maxTicks))
				.map(([a, b]) => [Math.min(a, b), Math.max(a, b, Math.min(a, b) + 1)]),
			{ maxLength: maxSpans },
		)
		.map((spans) => spans.flat())

const count = fc.oneof(fc.nat(3), fc.nat(1_000_000), fc.constant(1_000_000))
const milliseconds = fc.oneof(fc.nat(3), fc.nat(60_000), fc.nat(MAX_MS), fc.constant(MAX_MS))
const upTo = (max: number) => fc.oneof(fc.constantFrom(0, max), fc.double({ min: 0, max, noNaN: true }))
const height = fc.oneof(
	fc.constantFrom('240', '720', '1080'),
	fc.integer({ min: 10, max: 99_999 }).map(String),
)
const byHeight = fc.dictionary(height, milliseconds, { maxKeys: 20 })
/** Keys that are properties of every object, besides ordinary ones. */
const hostileKey = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a', 'b', '7')

/** Any state that the contract allows, extreme ones included. */
export const anyState = (
	played: fc.Arbitrary<number[]> = fc.oneof(playedUpTo(300), playedUpTo(MAX_MS / 100 - 1)),
): fc.Arbitrary<PlaybackState> =>
	fc.record({
		seq: fc.constant(1),
		activity: fc.constantFrom(...Activity.options),
		positionMs: milliseconds,
		watchedMs: milliseconds,
		played,
		startupMs: fc.option(milliseconds),
		waitedMs: milliseconds,
		stalls: count,
		stalledMs: milliseconds,
		seeks: count,
		seekMs: milliseconds,
		renditionMs: byHeight,
		deliveredMs: byHeight,
		bitrateMs: upTo(1e15),
		upscaleMs: upTo(1e12),
		upscaleMax: upTo(100),
		renditionsUp: count,
		renditionsDown: count,
		droppedFrames: milliseconds,
		error: fc.option(hostileKey),
	})

/** Visitors of whom some are equal, have equal prefixes, or have many zeros. */
const visitor = fc.oneof(
	fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
	fc.constantFrom(0n, 1n, 256n, 2n ** 40n, 2n ** 52n, 2n ** 64n - 1n),
)

export const anySession = (state = anyState()): fc.Arbitrary<PlaybackSession> =>
	fc.record({
		id: fc.constant('session'),
		startedAt: fc.constant(0),
		reportedAt: fc.constant(0),
		audience: fc.constantFrom('viewer', 'viewer', 'viewer', 'member', 'bot'),
		visitor: fc.option(visitor.map((hash) => hash.toString(16).padStart(16, '0'))),
		place: fc.record({
			device: fc.constantFrom('desktop', 'phone', 'other'),
			browser: hostileKey,
			country: fc.option(fc.constantFrom('DE', 'FR')),
			referrer: fc.option(hostileKey),
			player: fc.constantFrom('embed', 'watch'),
		}),
		state,
	})

export const anyDurationMs: fc.Arbitrary<number> = fc.oneof(
	fc.constantFrom(0, 1, 5_999, 6_000, 1_000_001, MAX_MS),
	fc.nat(30_000),
	fc.nat(MAX_MS),
)
