import type { AssetAnalytics } from '#schema/contract/watch/analytics/asset-analytics.ts'
import type { PlaybackState } from '#schema/contract/watch/analytics/playback-state.ts'
import type { ScriptedVideo } from './scripted-session.ts'

/** The newest state of a session that counts. */
export type CountedSession = { state: PlaybackState; device: string; address: string }

/** An oracle: adds up sessions one by one, written differently from the code under test. */
export function naiveAnalytics({ durationMs }: ScriptedVideo, sessions: readonly CountedSession[]) {
	const numbers = {
		...{
			attempts: sessions.length,
			starts: 0,
			views: 0,
			engaged: 0,
			completed: 0,
			watchedMs: 0,
			playedMs: 0,
		},
		...{ stalls: 0, stalledMs: 0, seeks: 0, seekMs: 0, failures: 0, startupFailures: 0, exitsBeforeStart: 0 },
		...{ switchesUp: 0, switchesDown: 0, droppedFrames: 0, bitrateMs: 0, shownMs: 0 },
	}
	const ticks = Math.ceil(durationMs / 100)
	const tickMs = (tick: number) => Math.min(100, durationMs - tick * 100)
	const plays = new Float64Array(ticks)
	const covers = new Float64Array(ticks)
	const devices = new Map<string, { views: number; watchedMs: number }>()
	const renditions = new Map<string, number>()
	const delivered = new Map<string, number>()
	const errors = new Map<string, number>()
	const startups: number[] = []
	const visitors = new Set<string>()
	for (const { state, device, address } of sessions) {
		const times = new Uint16Array(ticks)
		for (let at = 0; at < state.played.length; at += 2)
			for (let tick = state.played[at] ?? 0; tick < (state.played[at + 1] ?? 0) && tick < ticks; tick++)
				times[tick] = (times[tick] ?? 0) + 1
		let [playedMs, coveredMs] = [0, 0]
		for (const [tick, count] of times.entries()) {
			if (count === 0) continue
			playedMs += count * tickMs(tick)
			coveredMs += tickMs(tick)
			plays[tick] = (plays[tick] ?? 0) + count * tickMs(tick)
			covers[tick] = (covers[tick] ?? 0) + tickMs(tick)
		}
		const isStart = state.startupMs !== null || state.played.length > 0
		const isView = isStart && (playedMs >= 3_000 || playedMs >= durationMs / 2)
		const isEngaged = isView && (playedMs >= 30_000 || playedMs >= durationMs / 2)
		const hasFailed = state.error !== null || state.activity === 'failed'
		if (isStart) {
			numbers.starts++
			visitors.add(`${device} ${address}`)
		}
		if (isView) numbers.views++
		if (isEngaged) numbers.engaged++
		if (isEngaged && coveredMs / durationMs >= 0.95) numbers.completed++
		if (hasFailed) numbers.failures++
		if (hasFailed && !isStart) numbers.startupFailures++
		if (!hasFailed && !isStart && state.waitedMs >= 1_000) numbers.exitsBeforeStart++
		numbers.playedMs += playedMs
		for (const name of ['watchedMs', 'stalls', 'stalledMs', 'seeks', 'seekMs', 'droppedFrames'] as const)
			numbers[name] += state[name]
		numbers.switchesUp += state.renditionsUp
		numbers.switchesDown += state.renditionsDown
		numbers.bitrateMs += state.bitrateMs
		for (const [height, ms] of Object.entries(state.renditionMs)) {
			numbers.shownMs += ms
			add(renditions, `${height}p`, ms)
		}
		for (const [height, ms] of Object.entries(state.deliveredMs)) add(delivered, `${height}p`, ms)
		if (hasFailed) add(errors, state.error ?? 'unknown', 1)
		if (state.startupMs !== null) startups.push(state.startupMs)
		if (isView || state.watchedMs > 0) {
			const part = devices.get(device) ?? { views: 0, watchedMs: 0 }
			devices.set(device, {
				views: part.views + Number(isView),
				watchedMs: part.watchedMs + state.watchedMs,
			})
		}
	}
	startups.sort((a, b) => a - b)
	const startupAt = (share: number) => startups[Math.max(0, Math.ceil(share * startups.length) - 1)] ?? null
	return {
		numbers,
		plays,
		covers,
		devices,
		renditions,
		delivered,
		errors,
		startupAt,
		visitors: visitors.size,
	}
}

const add = (sums: Map<string, number>, key: string, amount: number) =>
	sums.set(key, (sums.get(key) ?? 0) + amount)

type Truth = ReturnType<typeof naiveAnalytics>
type Row = { name: string; answer: number | null; truth: number | null; tolerance: number }

/** Quotients of exact sums differ by their rounding only. */
const ROUNDING = 1e-9
const HISTOGRAM_ERROR = 0.02
/** Up to 800 visitors are counted exactly. Above, this is four standard errors. */
const VISITORS_ERROR = 0.065

/** Compares an answer of the API with the truth, number by number. Returns what differs. */
export function findDifferences(
	answer: AssetAnalytics,
	truth: Truth,
	{ durationMs }: ScriptedVideo,
): string[] {
	const { numbers } = truth
	const rows: Row[] = []
	const compare = (name: string, said: number | null, right: number | null, tolerance = 0) =>
		rows.push({ name, answer: said, truth: right, tolerance })
	for (const name of [
		'attempts',
		'starts',
		'views',
		'engaged',
		'completed',
		'watchedMs',
		'playedMs',
	] as const)
		compare(name, answer.totals[name], numbers[name])
	compare('members and bots', answer.totals.members + answer.totals.bots, 0)
	const uniquesTolerance = truth.visitors <= 800 ? 0 : truth.visitors * VISITORS_ERROR
	compare('dailyUniques', answer.totals.dailyUniques, truth.visitors, uniquesTolerance)

	const { quality } = answer
	const ratio = (name: string, said: number | null, amount: number, of: number) =>
		compare(name, said, of === 0 ? null : amount / of, of === 0 ? 0 : (ROUNDING * amount) / of)
	ratio('stalls', quality.stallsPerMinute, numbers.stalls * 60_000, numbers.watchedMs)
	ratio('stalledMs', quality.stalled, numbers.stalledMs, numbers.watchedMs)
	ratio('seeks and seekMs', quality.seekMs, numbers.seekMs, numbers.seeks)
	ratio('failures', quality.failures, numbers.failures, numbers.attempts)
	ratio('startupFailures', quality.startupFailures, numbers.startupFailures, numbers.attempts)
	ratio('exitsBeforeStart', quality.exitsBeforeStart, numbers.exitsBeforeStart, numbers.attempts)
	ratio('bitrate', quality.bitrateKbps, numbers.bitrateMs, numbers.shownMs)
	for (const name of ['switchesUp', 'switchesDown', 'droppedFrames'] as const)
		compare(name, quality[name], numbers[name])
	for (const [name, share] of [
		['p50', 0.5],
		['p75', 0.75],
		['p95', 0.95],
	] as const) {
		const right = truth.startupAt(share)
		compare(`startup ${name}`, quality.startupMs[name], right, Math.ceil((right ?? 0) * HISTOGRAM_ERROR))
	}
	compareGroups(
		'device views',
		answer.devices,
		'views',
		new Map([...truth.devices].map(([k, v]) => [k, v.views])),
	)
	compareGroups(
		'device watchedMs',
		answer.devices,
		'watchedMs',
		new Map([...truth.devices].map(([k, v]) => [k, v.watchedMs])),
	)
	compareGroups('rendition', answer.renditions, 'ms', truth.renditions)
	// The server limits this claim by the time since the first report, which the network decides here.
	for (const { key, ms } of answer.delivered)
		compare(`delivered ${key}`, ms, Math.min(ms, truth.delivered.get(key) ?? 0))
	compareGroups('error', answer.errors, 'count', truth.errors)
	compareCurve()

	function compareGroups<Name extends string>(
		name: string,
		said: readonly ({ key: string } & Record<Name, number>)[],
		field: Name,
		right: ReadonlyMap<string, number>,
	) {
		const byKey = new Map(said.map((each) => [each.key, each[field]]))
		for (const key of new Set([...byKey.keys(), ...right.keys()]))
			compare(`${name} ${key}`, byKey.get(key) ?? 0, right.get(key) ?? 0)
	}

	function compareCurve() {
		const bucketMs = answer.retention?.bucketMs ?? 1
		const lengthOf = (bucket: number) => Math.min(bucketMs, durationMs - bucket * bucketMs)
		const heat = answer.retention?.plays.map((plays, bucket) => plays * lengthOf(bucket)) ?? []
		const total = heat.reduce((sum, ms) => sum + ms, 0)
		compare('sum of plays times buckets', total, numbers.playedMs, ROUNDING * numbers.playedMs)
		for (const [bucket, ms] of heat.entries()) {
			const inside = { from: (bucket * bucketMs) / 100, to: ((bucket + 1) * bucketMs) / 100 }
			const right = truth.plays.slice(inside.from, inside.to).reduce((sum, each) => sum + each, 0)
			compare(`plays of bucket ${bucket}`, ms, right, ROUNDING * right)
			const covered = truth.covers.slice(inside.from, inside.to).reduce((sum, each) => sum + each, 0)
			const share = numbers.starts === 0 ? 0 : covered / lengthOf(bucket) / numbers.starts
			compare(`share of bucket ${bucket}`, answer.retention?.shares[bucket] ?? null, share, ROUNDING)
		}
	}

	return rows
		.filter(({ answer: said, truth: right, tolerance }) =>
			said === null || right === null ? said !== right : Math.abs(said - right) > tolerance,
		)
		.map(({ name, answer: said, truth: right }) => `${name}: ${said} instead of ${right}`)
}
