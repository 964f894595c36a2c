import { FLUSH_MS } from '../../../edge/watch/analytics/sessions/flush-interval.ts'
import { computeBeatIntervalMs } from '../../../edge/watch/analytics/sessions/presence.ts'
import { COPY_EVERY_MS } from '../../../edge/watch/analytics/sessions/shards/root-copies.ts'
import { chooseLevel } from '../../../edge/watch/analytics/sessions/shards/shards.ts'

/** The amounts that Cloudflare charges for. */
export type Charged = {
	requests: number
	cpuMs: number
	objectRequests: number
	rowsWritten: number
	rowsRead: number
	gbSeconds: number
}

/** US$ for a million, beyond what a plan includes, as published by Cloudflare in November 2026. */
export const prices: Charged = {
	requests: 0.3,
	cpuMs: 0.02,
	objectRequests: 0.15,
	rowsWritten: 1,
	rowsRead: 0.001,
	gbSeconds: 12.5,
}

const HOUR_SECONDS = 3_600
/** An object is charged as if it used 128 MB while it is awake. */
const OBJECT_GB = 0.125
/** CPU of a report as measured, which includes the local simulators. */
const REPORT_CPU_MS = 1.4
/** How long a call keeps an otherwise idle object awake. */
const CALL_SECONDS = 0.02
const FLUSH_SECONDS = FLUSH_MS / 1_000
const SESSIONS_PER_PAGE = 64
const NOTIFY_SECONDS = 5
const COPY_SECONDS = COPY_EVERY_MS / 1_000

/** Operations of a view of five minutes, as counted by `npm run bench -- analytics --only operations`. */
const counted = {
	/** 1,000 views in an hour of one video. */
	hot: {
		...{ requests: 15, objectRequests: 15.013, alarms: 0.46, rowsWritten: 5.281, rowsRead: 19.24 },
		awakeSeconds: HOUR_SECONDS / 1_000,
	},
	/** 1,000 views of as many videos. */
	cold: {
		...{ requests: 15, objectRequests: 16, alarms: 3, rowsWritten: 48, rowsRead: 91.34 },
		awakeSeconds: (16 + 3) * CALL_SECONDS,
	},
}

/** Returns the amounts of 1,000 views of five minutes. */
export function measureThousandViews(kind: keyof typeof counted): Charged {
	const { requests, objectRequests, alarms, rowsWritten, rowsRead, awakeSeconds } = counted[kind]
	return {
		requests: 1_000 * requests,
		cpuMs: 1_000 * requests * REPORT_CPU_MS,
		objectRequests: 1_000 * (objectRequests + alarms),
		rowsWritten: 1_000 * rowsWritten,
		rowsRead: 1_000 * rowsRead,
		gbSeconds: 1_000 * awakeSeconds * OBJECT_GB,
	}
}

/** Returns the amounts of an hour of a video whose viewers have all watched for longer than five minutes. */
export function measureHourlyAmounts(
	viewers: number,
): Charged & { intervalSeconds: number; objects: number; perSecond: number } {
	const objects = 2 ** chooseLevel({ viewers, startsPerSecond: 0 })
	const viewersHere = viewers / objects
	const intervalSeconds = computeBeatIntervalMs({ ageMs: HOUR_SECONDS * 1_000, viewersHere, viewers }) / 1_000
	const perSecond = viewers / intervalSeconds
	const requests = perSecond * HOUR_SECONDS
	const flushes = (HOUR_SECONDS / FLUSH_SECONDS) * objects
	const pages = Math.ceil(viewersHere / SESSIONS_PER_PAGE)
	const reportsPerFlush = (perSecond / objects) * FLUSH_SECONDS
	// The share of the pages in which none of the sessions has reported is about e^(−reports per page).
	const changedPages = pages * (1 - Math.exp(-reportsPerFlush / pages))
	const shards = objects === 1 ? 0 : objects
	const calls = shards * HOUR_SECONDS * (1 / NOTIFY_SECONDS + 1 / COPY_SECONDS)
	const copies = shards * (HOUR_SECONDS / COPY_SECONDS)
	return {
		...{ intervalSeconds, objects, perSecond, requests },
		cpuMs: requests * REPORT_CPU_MS,
		objectRequests: requests + flushes + calls,
		// The page and the alarm of each flush; a copy of an hour is a row at the root and a version at its object.
		rowsWritten: flushes * (changedPages + 1) + 2 * copies,
		rowsRead: flushes * 4,
		// The root and its shards.
		gbSeconds: (1 + shards) * HOUR_SECONDS * OBJECT_GB,
	}
}

export const toDollars = (charged: Charged): Charged & { total: number } => {
	const names = Object.keys(prices) as (keyof Charged)[]
	const entries = names.map((name) => [name, (charged[name] * prices[name]) / 1e6] as const)
	const total = entries.reduce((sum, [, dollars]) => sum + dollars, 0)
	return { ...(Object.fromEntries(entries) as Charged), total }
}

const amount = (value: number): string =>
	value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))
const dollars = (value: number): string => (value >= 1 ? value.toFixed(2) : value.toFixed(4))

/** Returns the rows of the tables of docs/watch/analytics-cost.md, cell by cell; a test compares them. */
export function measureCostRows(): string[][] {
	const [hot, cold] = [measureThousandViews('hot'), measureThousandViews('cold')]
	const [hotDollars, coldDollars] = [toDollars(hot), toDollars(cold)]
	const names = Object.keys(prices) as (keyof Charged)[]
	const hours = [1_000, 10_000, 100_000, 1_000_000].map((viewers) => ({
		viewers,
		hour: measureHourlyAmounts(viewers),
	}))
	return [
		...names.map((name) => [
			...[amount(hot[name]), dollars(hotDollars[name])],
			...[amount(cold[name]), dollars(coldDollars[name])],
		]),
		['', dollars(hotDollars.total), '', dollars(coldDollars.total)],
		...hours.map(({ viewers, hour }) => [
			...[amount(viewers), amount(hour.intervalSeconds), amount(hour.objects), amount(hour.perSecond)],
			...names.map((name) => dollars(toDollars(hour)[name])),
			dollars(toDollars(hour).total),
		]),
	]
}
