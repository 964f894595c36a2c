import type { AnalyticsPeriod, Granularity } from '#schema/contract/watch/analytics/asset-analytics.ts'
import { AppError } from '../../../http/errors.ts'
import {
	DAY,
	HOUR,
	startOfDay,
	startOfHour,
	startOfMonth,
	startOfNextMonth,
} from '../../../platform/clock.ts'
import { computeDayMergeLimit, computeHourMergeLimit } from '../sessions/hour-sums.ts'

export type Period = { from: number; to: number; granularity: Granularity }

export type PeriodQuery = {
	period: AnalyticsPeriod
	from?: string | undefined
	to?: string | undefined
	granularity?: Granularity | undefined
}

const durations: Record<Exclude<AnalyticsPeriod, 'all'>, number> = {
	'24h': DAY,
	'7d': 7 * DAY,
	'30d': 30 * DAY,
	'90d': 90 * DAY,
}
const steps: Record<Granularity, number> = { hour: HOUR, day: DAY }
const MAX_HOURS_MS = 2 * DAY

/**
 * Returns whole hours or days, including the current one, and the preceding period of the same length. Where hours or days
 * are merged, both periods start and end on day or month boundaries.
 */
export function readPeriod(query: PeriodQuery, now: number): { period: Period; before: Period } {
	const end = query.to === undefined ? now : Math.min(Date.parse(query.to), now + DAY)
	const start = startOf(query, end)
	if (start >= end) throw new AppError('validation', 'from: must be in the past')
	const granularity = query.granularity ?? (end - start <= MAX_HOURS_MS ? 'hour' : 'day')
	const from = partAt(start, granularity, now).start
	const last = partAt(end, granularity, now)
	const to = last.start === end ? end : last.end
	const before = partAt(Math.max(0, 2 * from - to), granularity, now).start
	return { period: { from, to, granularity }, before: { from: before, to: from, granularity } }
}

function startOf({ from, period }: PeriodQuery, end: number): number {
	if (from !== undefined) return Math.max(0, Date.parse(from))
	return period === 'all' ? 0 : end - durations[period]
}

/** Returns the hour, day or month around an instant. Old sums are stored by day or by month only. */
function partAt(instant: number, granularity: Granularity, now: number): { start: number; end: number } {
	if (instant < computeDayMergeLimit(now))
		return { start: startOfMonth(instant), end: startOfNextMonth(instant) }
	const unit = instant < computeHourMergeLimit(now) ? 'day' : granularity
	const start = startOfPeriod(instant, unit)
	return { start, end: start + steps[unit] }
}

/** Returns the start of the hour or day around an instant. */
export const startOfPeriod = (instant: number, granularity: Granularity): number =>
	granularity === 'hour' ? startOfHour(instant) : startOfDay(instant)
