import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { readMeasures } from '../../../platform/metrics/measures.ts'
import type { Gauge, Measure, Metric, Samples } from '../../../platform/metrics/metric.ts'
import { findMetrics } from '../../../platform/metrics/metrics-stub.ts'
import { readFreeBytes } from '../../../platform/storage/disk.ts'
import { sampleTotals } from '../totals/metrics.ts'
import { findTotals } from '../totals/totals.ts'
import { renderMetrics, sampleGauge } from './exposition.ts'

/** Several Prometheus servers, or a scraper that asks too often, cost one collection. */
const KEPT_MS = 15 * SECOND

export const databaseUp: Gauge = {
	type: 'gauge',
	name: 'playhouse_database_up',
	help: 'Whether the database answered this scrape. Without it, numbers from the database are missing.',
	labels: {},
	query: null,
}

export const diskFree: Gauge = {
	type: 'gauge',
	name: 'playhouse_disk_free_bytes',
	help: 'Free bytes on the disk with the data, of a Worker that npm start runs.',
	labels: {},
	query: null,
}

/** Returns the metrics of all features as text, from the last 15 seconds. */
export async function collectMetrics(deps: Deps): Promise<string> {
	const object = findMetrics(deps.env)
	const kept = await object?.page(deps.now)
	if (kept) return kept
	const text = await collect(deps)
	await object?.keepPage({ text, until: deps.now + KEPT_MS })
	return text
}

async function collect(deps: Deps): Promise<string> {
	const { metrics } = deps.contributions
	const { DISK } = deps.env.bindings
	const [gauges, counts, totals, freeBytes] = await Promise.all([
		readGauges(deps, metrics.filter(isMeasure)),
		findMetrics(deps.env)?.counts(),
		findTotals(deps),
		DISK && readFreeBytes(DISK).catch(() => undefined),
	])
	return renderMetrics(metrics, {
		...counts,
		...gauges,
		...(totals && sampleTotals(totals)),
		...(freeBytes !== undefined && { [diskFree.name]: freeBytes }),
	})
}

const isMeasure = (metric: Metric): metric is Gauge & Measure =>
	metric.type === 'gauge' && metric.query !== null

/** An outage of the database must not hide the counters, which show the outage. */
async function readGauges({ db, now, log }: Deps, gauges: readonly (Gauge & Measure)[]): Promise<Samples> {
	try {
		const rows = await readMeasures(db, Object.fromEntries(gauges.map((gauge) => [gauge.name, gauge])), now)
		const samples = gauges.map((gauge) => sampleGauge(gauge, rows[gauge.name] ?? [], now))
		return Object.assign({ [databaseUp.name]: 1 }, ...samples)
	} catch (error) {
		log.error('reading the metrics from the database failed', error)
		return { [databaseUp.name]: 0 }
	}
}
