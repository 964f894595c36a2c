import {
	buckets,
	formatSeriesName,
	type Histogram,
	type Labels,
	listZeroSamples,
	type Metric,
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
