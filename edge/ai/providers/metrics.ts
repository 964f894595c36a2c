import { sql } from 'drizzle-orm'
import { LanguageModelProvider, TranscriptionProvider } from '#schema/contract/ai/settings.ts'
import { SECOND, toUtcMonth } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { incrementCounter, observeSeconds } from '../../platform/metrics/count.ts'
import type { Counter, Gauge, Histogram, Metric } from '../../platform/metrics/metric.ts'
import { isOpenStatus } from './calls/store.ts'

const callsEnded = {
	type: 'counter',
	name: 'playhouse_ai_calls_total',
	help: 'Calls of AI providers that ended.',
	labels: { provider: null, outcome: ['completed', 'failed'] },
} as const satisfies Counter

const callDuration = {
	type: 'histogram',
	name: 'playhouse_ai_call_duration_seconds',
	help: 'Time from a call of an AI provider to its result.',
	labels: { provider: null },
} as const satisfies Histogram

export function countCall(
	deps: Deps,
	{ provider }: { provider: string },
	{ outcome, ms }: { outcome: 'completed' | 'failed'; ms: number },
): void {
	incrementCounter(deps, callsEnded, { provider, outcome })
	observeSeconds(deps, callDuration, { provider }, ms / SECOND)
}

const providers = [...new Set([...TranscriptionProvider.options, ...LanguageModelProvider.options])]

/** The rows with the sums of what the installation pays. */
const isOfInstallation = (now: number) =>
	sql`org_id in ('installation', 'installation/language-model') and month = ${toUtcMonth(now)}`

export const oldestOpenCall = {
	type: 'gauge',
	name: 'playhouse_ai_oldest_open_seconds',
	help: 'Age of the oldest call of an AI provider without a result; 0 if there is none.',
	labels: {},
	isInstant: true,
	// `+` keeps SQLite from searching all calls, also those that ended, in the order of their creation.
	query: () =>
		sql`select min(+created_at) as value from ai_calls where ${isOpenStatus} and check_at is not null`,
} as const satisfies Gauge

export const aiMetrics = [
	callsEnded,
	callDuration,
	{
		type: 'gauge',
		name: 'playhouse_ai_calls_open',
		help: 'Calls of AI providers whose result is not known yet.',
		labels: { provider: providers },
		query: () =>
			sql`
				select provider, count(*) as value from ai_calls
				where ${isOpenStatus} and check_at is not null
				group by provider
			`,
	},
	oldestOpenCall,
	{
		type: 'gauge',
		name: 'playhouse_ai_month_cost_dollars',
		help: 'What calls cost this month (UTC) on the account of the installation.',
		labels: {},
		query: (now) =>
			sql`
				select coalesce(sum(cost_micros), 0) / 1000000.0 as value from ai_budgets
				where ${isOfInstallation(now)}
			`,
	},
	{
		type: 'gauge',
		name: 'playhouse_ai_month_audio_seconds',
		help: 'Audio that was transcribed this month (UTC) on the account of the installation.',
		labels: {},
		query: (now) =>
			sql`select coalesce(sum(audio_ms), 0) / 1000.0 as value from ai_budgets where ${isOfInstallation(now)}`,
	},
	{
		type: 'gauge',
		name: 'playhouse_ai_month_tokens',
		help: 'Tokens of language models that were used this month (UTC) on the account of the installation.',
		labels: {},
		query: (now) =>
			sql`select coalesce(sum(tokens), 0) as value from ai_budgets where ${isOfInstallation(now)}`,
	},
] as const satisfies readonly Metric[]
