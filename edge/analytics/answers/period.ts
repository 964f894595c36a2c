import type { AnalyticsPeriod, Granularity } from '#schema/contract/video/analytics/asset-analytics.ts'
import { DAY, HOUR } from '../../platform/clock.ts'

export type Period = { from: number; to: number; granularity: Granularity }

export type PeriodQuery = {
	period: AnalyticsPeriod
	from?: string | undefined
	to?: string | undefined
	granularity?: Granularity | undefined
}

const durations: Record<AnalyticsPeriod, number> = {
	'24h': DAY,
	'7d': 7 * DAY,
	'30d': 30 * DAY,
	'90d': 90 * DAY,
	all: 400 * DAY,
}
const steps: Record<Granularity, number> = { hour: HOUR, day: DAY }
const MAX_HOURS_MS = 2 * DAY

/** Returns whole hours or days, the current one included. */
export function readPeriod(query: PeriodQuery, now: number): Period {
	const end = query.to === undefined ? now : Date.parse(query.to)
	const start = query.from === undefined ? end - durations[query.period] : Date.parse(query.from)
	const granularity = query.granularity ?? (end - start <= MAX_HOURS_MS ? 'hour' : 'day')
	const step = steps[granularity]
	return { from: stepOf(start, granularity), to: Math.ceil(end / step) * step, granularity }
}

/** Returns the start of the hour or day of the series that an instant is in. */
export const stepOf = (instant: number, granularity: Granularity): number =>
	Math.floor(instant / steps[granularity]) * steps[granularity]
