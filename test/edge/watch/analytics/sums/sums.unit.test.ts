import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PlaybackSession } from '../../../../../edge/watch/analytics/sessions/session.ts'
import { unpackCurve } from '../../../../../edge/watch/analytics/sums/curve.ts'
import { sumSession } from '../../../../../edge/watch/analytics/sums/session-sums.ts'
import { addAllSums, addSums, emptySums, type Sums } from '../../../../../edge/watch/analytics/sums/sums.ts'
import { countVisitors } from '../../../../../edge/watch/analytics/sums/visitors.ts'
import { propertyRuns } from '../../../../support/shared/property-runs.ts'
import { anyDurationMs, anySession, anyState, makeSession, playedUpTo } from './arbitrary-sessions.ts'
import { naiveCurve, naiveMs, naivePlayback } from './naive-playback.ts'

const sumOf = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0)

describe('the sums of a session', () => {
	const session = makeSession(
		{
			activity: 'ended',
			watchedMs: 9_000,
			played: [0, 40, 20, 60],
			startupMs: 2_000,
			stalls: 2,
			stalledMs: 900,
			seeks: 1,
			seekMs: 150,
			renditionMs: { '720': 6_000, '1080': 2_000, '480': 0 },
			deliveredMs: { '720': 7_000 },
			bitrateMs: 20_000_000.4,
			upscaleMs: 800,
			upscaleMax: 0.5,
			renditionsUp: 1,
			renditionsDown: 3,
			droppedFrames: 12,
		},
		{
			visitor: '0123456789abcdef',
			place: { device: 'phone', browser: 'Safari', country: null, referrer: null, player: 'watch' },
		},
	)

	test('the sums of a session follow from its state', () => {
		const sums = sumSession(session, 8_000)
		expect(sums).toMatchObject({
			...{ attempts: 1, starts: 1, views: 1, engaged: 1, completed: 0 },
			...{ exitsBeforeStart: 0, failures: 0, startupFailures: 0 },
			...{ watchedMs: 9_000, playedMs: 8_000, coveredMs: 6_000, watchedShare: 0.75 },
			...{ stalls: 2, stalledMs: 900, seeks: 1, seekMs: 150 },
			...{ shownMs: 8_000, bitrateMs: 20_000_000, upscaleMs: 800 },
			...{ renditionsUp: 1, renditionsDown: 3, droppedFrames: 12 },
			excluded: { member: 0, bot: 0, crowd: 0 },
			by: {
				device: { phone: { views: 1, watchedMs: 9_000 } },
				browser: { Safari: { views: 1, watchedMs: 9_000 } },
				country: { unknown: { views: 1, watchedMs: 9_000 } },
				referrer: { direct: { views: 1, watchedMs: 9_000 } },
				player: { watch: { views: 1, watchedMs: 9_000 } },
				error: {},
			},
		})
		expect(sums.by.rendition).toEqual({ '720p': 6_000, '1080p': 2_000 })
		expect(sums.by).toMatchObject({ delivered: { '720p': 7_000 }, deliveredToOthers: {} })
		expect(Object.values(sums.startup)).toEqual([1])
		expect(countVisitors(sums.visitors)).toBe(1)
		expect(unpackCurve(sums.curve ?? '').heat).toEqual([1e3, 1e3, 2e3, 2e3, 1e3, 1e3, 0, 0])
		expect(sums.scores.startup).toEqual({ sum: 80, count: 1 })
		// (100 / √2 + 100 / e) / 2 and 100 · e^(-0.33 · (0.15 · 0.5 + 0.85 · 0.1))
		expect(sums.scores.smoothness.sum).toBeCloseTo(53.7493, 3)
		expect(sums.scores.quality.sum).toBeCloseTo(94.857, 3)
	})

	test('the sums of a member, a bot or a crowd have only an excluded attempt, and the delivered time', () => {
		const delivered = { '720p': 7_000 }
		for (const audience of ['member', 'bot', 'crowd'] as const)
			expect(sumSession({ ...session, audience }, 8_000)).toEqual({
				...emptySums(8_000),
				excluded: { member: 0, bot: 0, crowd: 0, [audience]: 1 },
				by: { ...emptySums(8_000).by, delivered, deliveredToOthers: delivered },
			})
	})

	test('a session without a start has no visitor', () => {
		const waiting = makeSession({ waitedMs: 1_500 }, { visitor: '0123456789abcdef' })
		expect(sumSession(waiting, 8_000)).toMatchObject({
			attempts: 1,
			starts: 0,
			exitsBeforeStart: 1,
			visitors: '',
		})
	})

	test('a session that played nothing has no key in any breakdown', () => {
		expect(sumSession(makeSession({ waitedMs: 1_500 }), 8_000).by).toEqual(emptySums(8_000).by)
	})

	test('failures are counted by code, before and after the start', () => {
		const sums = addAllSums(
			[
				sumSession(makeSession({ error: 'network' }), 8_000),
				sumSession(makeSession({ error: 'decode', startupMs: 100 }), 8_000),
				sumSession(makeSession({ activity: 'failed' }), 8_000),
			],
			8_000,
		)
		expect(sums).toMatchObject({
			attempts: 3,
			starts: 1,
			failures: 3,
			startupFailures: 2,
			exitsBeforeStart: 0,
		})
		expect(sums.by.error).toEqual({ decode: 1, network: 1, unknown: 1 })
		expect(sums.scores.success).toEqual({ sum: 0, count: 3 })
		expect(sums.scores.overall).toEqual({ sum: 0, count: 3 })
	})

	test('a session that is no view has no share of the video', () => {
		const bounce = sumSession(makeSession({ played: [0, 20] }), 8_000)
		expect(bounce).toMatchObject({ starts: 1, views: 0, coveredMs: 2_000, watchedShare: 0 })
	})

	test('bitrate and upscaling without a time base are left out of the sums', () => {
		const sums = sumSession(makeSession({ played: [0, 50], bitrateMs: 5_000, upscaleMs: 3_000 }), 8_000)
		expect(sums).toMatchObject({ shownMs: 0, bitrateMs: 0, upscaleMs: 0 })
	})

	test('a session of a video of unknown duration has no curve or coverage', () => {
		expect(sumSession(session, 0)).toMatchObject({
			views: 1,
			playedMs: 8_000,
			coveredMs: 0,
			watchedShare: 0,
			curve: null,
		})
	})
})

/** Adds two sums at a time, chosen by `picks`, until one is left. */
function addInOrder(all: readonly Sums[], picks: readonly number[], durationMs: number): Sums {
	const rest = [emptySums(durationMs), ...all]
	for (let step = 0; rest.length > 1; step++) {
		const [a] = rest.splice((picks[2 * step] ?? 0) % rest.length, 1)
		const [b] = rest.splice((picks[2 * step + 1] ?? 0) % rest.length, 1)
		if (a && b) rest.push(addSums(a, b))
	}
	return rest[0] ?? emptySums(durationMs)
}

/** Sums from the definitions, over the list of sessions. */
function naiveSums(sessions: readonly PlaybackSession[], durationMs: number) {
	const viewers = sessions.filter(({ audience }) => audience === 'viewer').map(({ state }) => state)
	const playbacks = viewers.map(({ played }) => ({ played, ...naiveMs(naivePlayback(played, durationMs)) }))
	const failed = viewers.filter(({ error, activity }) => error !== null || activity === 'failed')
	const isStarted = ({ startupMs, played }: (typeof viewers)[number]) =>
		startupMs !== null || played.length > 0
	return {
		attempts: viewers.length,
		starts: viewers.filter(isStarted).length,
		views: playbacks.filter(({ playedMs }) => playedMs >= 3_000).length,
		engaged: playbacks.filter(({ playedMs }) => playedMs >= 30_000 || playedMs >= durationMs / 2).length,
		completed: playbacks.filter(({ coveredMs }) => coveredMs / durationMs >= 0.95).length,
		failures: failed.length,
		startupFailures: failed.filter((state) => !isStarted(state)).length,
		playedMs: sumOf(playbacks.map(({ playedMs }) => playedMs)),
		coveredMs: sumOf(playbacks.map(({ coveredMs }) => coveredMs)),
		watchedMs: sumOf(viewers.map(({ watchedMs }) => watchedMs)),
		stalledMs: sumOf(viewers.map(({ stalledMs }) => stalledMs)),
		seeks: sumOf(viewers.map(({ seeks }) => seeks)),
		excluded: {
			member: sessions.filter(({ audience }) => audience === 'member').length,
			bot: sessions.filter(({ audience }) => audience === 'bot').length,
			crowd: 0,
		},
	}
}

const naiveWatchedShare = (sessions: readonly PlaybackSession[], durationMs: number) =>
	sumOf(
		sessions
			.filter(({ audience }) => audience === 'viewer')
			.map(({ state }) => naiveMs(naivePlayback(state.played, durationMs)))
			.map(({ playedMs, coveredMs }) => (playedMs >= 3_000 ? coveredMs / durationMs : 0)),
	)

describe('added sums', () => {
	const sessions = fc.array(anySession(), { maxLength: 10 })
	const picks = fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 })

	test('added sums do not depend on the order or grouping of sessions, even of extreme ones', () => {
		fc.assert(
			fc.property(sessions, picks, anyDurationMs, (all, order, durationMs) => {
				const each = all.map((session) => sumSession(session, durationMs))
				const oneByOne = JSON.stringify(each.reduce(addSums, emptySums(durationMs)))
				expect(JSON.stringify(addInOrder(each, order, durationMs))).toBe(oneByOne)
				expect(JSON.stringify(addAllSums(each, durationMs))).toBe(oneByOne)
			}),
			{ numRuns: propertyRuns(60) },
		)
	})

	test('sums are the same after they were stored as JSON', () => {
		fc.assert(
			fc.property(sessions, anyDurationMs, (all, durationMs) => {
				const each = all.map((session) => sumSession(session, durationMs))
				const stored = each.map((sums): Sums => JSON.parse(JSON.stringify(sums)))
				expect(JSON.stringify(addAllSums(stored, durationMs))).toBe(
					JSON.stringify(addAllSums(each, durationMs)),
				)
			}),
			{ numRuns: propertyRuns(30) },
		)
	})

	test('added sums contain no NaN, no infinity and no negative number', () => {
		const problems: unknown[] = []
		fc.assert(
			fc.property(sessions, anyDurationMs, (all, durationMs) => {
				const sums = addAllSums(
					all.map((session) => sumSession(session, durationMs)),
					durationMs,
				)
				JSON.stringify([sums, sums.curve && unpackCurve(sums.curve)], (_, value) => {
					if (typeof value === 'number' && !(value >= 0 && value <= Number.MAX_SAFE_INTEGER))
						problems.push(value)
					return value
				})
				expect(problems).toEqual([])
			}),
			{ numRuns: propertyRuns(60) },
		)
	})

	test('added sums equal those from counting tenths of a second over all sessions', () => {
		const videos = fc
			.integer({ min: 6_000, max: 90_000 })
			.chain((ms) =>
				fc.tuple(fc.constant(ms), fc.array(anySession(anyState(playedUpTo(Math.ceil(ms / 90), 4))))),
			)
		fc.assert(
			fc.property(videos, ([durationMs, all]) => {
				const sums = addAllSums(
					all.map((session) => sumSession(session, durationMs)),
					durationMs,
				)
				expect(sums).toMatchObject(naiveSums(all, durationMs))
				const { attempts, starts, views, engaged, completed } = sums
				const funnel = [attempts, starts, views, engaged, completed]
				expect(funnel).toEqual(funnel.toSorted((a, b) => b - a))
				expect(sums.watchedShare).toBeCloseTo(naiveWatchedShare(all, durationMs), 3)
				const curve = unpackCurve(sums.curve ?? '')
				expect(sumOf(curve.heat)).toBe(sums.playedMs)
				expect(sumOf(curve.cover)).toBe(sums.coveredMs)
				expect(Math.max(...curve.cover)).toBeLessThanOrEqual(curve.bucketMs * starts)
				const played = all.flatMap(({ audience, state }) => (audience === 'viewer' ? state.played : []))
				expect(curve.heat).toEqual(naiveCurve(naivePlayback(played, durationMs), curve.bucketMs).heat)
				for (const name of ['device', 'browser', 'country', 'referrer', 'player'] as const) {
					const parts = Object.values(sums.by[name])
					expect(sumOf(parts.map((part) => part.views))).toBe(views)
					expect(sumOf(parts.map((part) => part.watchedMs))).toBe(sums.watchedMs)
				}
				expect(sumOf(Object.values(sums.by.rendition))).toBe(sums.shownMs)
				expect(sumOf(Object.values(sums.by.error))).toBe(sums.failures)
				expect(sumOf(Object.values(sums.startup))).toBeLessThanOrEqual(starts)
			}),
			{ numRuns: propertyRuns(60) },
		)
	})

	test('sums stop growing at the largest exact number', () => {
		const large = sumSession(makeSession({ bitrateMs: 1e15, renditionMs: { '720': 1 } }), 0)
		const sums = addAllSums(Array<Sums>(20).fill(large), 0)
		expect(sums.bitrateMs).toBe(Number.MAX_SAFE_INTEGER)
	})

	test('adding sums of videos with different buckets is rejected', () => {
		expect(() => addSums(emptySums(1_000), emptySums(2_000_000))).toThrow('1000 and 2000 ms')
		expect(addSums(emptySums(0), emptySums(1_000))).toEqual(emptySums(1_000))
	})
})
