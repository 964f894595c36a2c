import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { Gauge, Metric, Samples } from '../../../platform/metrics/metric.ts'
import { findMetrics } from '../../../platform/metrics/metrics-stub.ts'
import { readFreeBytes } from '../../../platform/storage/disk.ts'
import { toTotalSamples } from '../totals/metrics.ts'
import { findTotals } from '../totals/totals.ts'
import { renderMetrics } from './exposition.ts'
import { metricsStore, type QueriedGauge } from './store.ts'

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
		readGauges(deps, metrics.filter(isQueried)),
		findMetrics(deps.env)?.counts(),
		findTotals(deps),
		DISK && readFreeBytes(DISK).catch(() => undefined),
	])
	return renderMetrics(metrics, {
		...counts,
		...gauges,
		...(totals && toTotalSamples(totals)),
		...(freeBytes !== undefined && { [diskFree.name]: freeBytes }),
	})
}

const isQueried = (metric: Metric): metric is QueriedGauge => metric.type === 'gauge' && metric.query !== null

/** An outage of the database must not hide the counters, which show the outage. */
async function readGauges({ db, now, log }: Deps, gauges: readonly QueriedGauge[]): Promise<Samples> {
	try {
		return { ...(await metricsStore(db).readGauges(gauges, now)), [databaseUp.name]: 1 }
	} catch (error) {
		log.error('reading the metrics from the database failed', error)
		return { [databaseUp.name]: 0 }
	}
}
