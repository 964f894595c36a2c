import { SECOND } from '../../../platform/clock.ts'
import {
	buckets,
	formatSeriesName,
	type Gauge,
	type Histogram,
	type Labels,
	listZeroSamples,
	type Metric,
	OTHER,
	type Samples,
} from '../../../platform/metrics/metric.ts'

/**
 * Returns samples in Prometheus's text format 0.0.4. Series that no metric of this version names are left out. Counters
 * whose labels are known start at 0, so that their first increase is seen.
 */
export const renderMetrics = (metrics: readonly Metric[], samples: Samples): string =>
	metrics.map((metric) => renderMetric(metric, samples)).join('')

function renderMetric(metric: Metric, samples: Samples): string {
	const lines = metric.type === 'histogram' ? histogramLines(metric, samples) : plainLines(metric, samples)
	if (lines.length === 0) return ''
	const { name, help, type } = metric
	return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function plainLines(metric: Exclude<Metric, Histogram>, samples: Samples): string[] {
	const { name, type } = metric
	const zeros = type === 'counter' ? listZeroSamples(metric) : {}
	const own = Object.entries(samples).filter(([series]) => familyOf(series) === name)
	return Object.entries({ ...zeros, ...Object.fromEntries(own) })
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.map(([series, value]) => `${series} ${value}`)
}

const familyOf = (series: string): string => series.split('{', 1)[0] ?? ''

/** Buckets must be in ascending order, and not in that of their names. */
function histogramLines({ name, labels }: Histogram, samples: Samples): string[] {
	const counted = Object.keys(samples).filter((series) => familyOf(series) === `${name}_count`)
	return counted.toSorted().flatMap((series) => {
		const own = labelsIn(series, labels)
		const lineOf = (part: string, more: Record<string, string> = {}) => {
			const line = formatSeriesName(`${name}_${part}`, { ...own, ...more })
			return `${line} ${samples[line] ?? 0}`
		}
		const bounds = [...buckets.map(String), '+Inf']
		return [...bounds.map((le) => lineOf('bucket', { le })), lineOf('sum'), lineOf('count')]
	})
}

/** Reads the labels of a series back; the values of histograms need no escaping. */
const labelsIn = (series: string, labels: Labels): Record<string, string> =>
	Object.fromEntries(
		Object.keys(labels).map((label) => [label, new RegExp(`[{,]${label}="([^"]*)"`).exec(series)?.[1] ?? '']),
	)

type Row = { value: number | null; [label: string]: unknown }

/** Returns the samples of a gauge. With labels, a combination without a row is 0. */
export function sampleGauge(gauge: Gauge, rows: readonly Row[], now: number): Samples {
	const { name, labels, isInstant } = gauge
	const known = Object.entries(labels)
	const samples = known.length > 0 ? listZeroSamples(gauge) : {}
	for (const row of rows) {
		const value = isInstant ? Math.max(0, (now - (row.value ?? now)) / SECOND) : row.value
		if (value === null) continue
		const own = known.map(([label, values]) => [label, boundedBy(values, String(row[label]))] as const)
		const series = formatSeriesName(name, Object.fromEntries(own))
		samples[series] = (samples[series] ?? 0) + value
	}
	return samples
}

const boundedBy = (values: readonly string[] | null, value: string): string =>
	values === null || values.includes(value) ? value : OTHER
