import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../../platform/database/database.ts'
import {
	formatSeriesName,
	type Gauge,
	listZeroSamples,
	OTHER,
	type Samples,
} from '../../../platform/metrics/metric.ts'

export type QueriedGauge = Gauge & { query: NonNullable<Gauge['query']> }

/** D1 allows 100 columns in a result, and each gauge is one. */
const MAX_GAUGES = 90

export const metricsStore = (db: Db) => ({
	/** Reads all gauges with one statement for each 90 of them. */
	async readGauges(gauges: readonly QueriedGauge[], now: number): Promise<Samples> {
		const samples: Samples = {}
		for (let at = 0; at < gauges.length; at += MAX_GAUGES) {
			const part = gauges.slice(at, at + MAX_GAUGES)
			const columns = part.map((gauge, i) => sql`(${rowsAsJson(gauge, now)}) as ${sql.identifier(`g${i}`)}`)
			const [row] = await db.all<Record<string, string>>(sql`select ${sql.join(columns, sql`, `)}`)
			for (const [i, gauge] of part.entries()) addRows(samples, gauge, JSON.parse(row?.[`g${i}`] ?? '[]'))
		}
		return samples
	},
})

/** Returns the rows of a gauge as one JSON text, so that gauges with and without labels fit into one row. */
function rowsAsJson({ labels, query }: QueriedGauge, now: number): SQL {
	const names = [...Object.keys(labels), 'value'].map((name) => sql.identifier(name))
	return sql`select json_group_array(json_array(${sql.join(names, sql`, `)})) from (${query(now)})`
}

/** With labels, a combination without a row is 0. */
function addRows(samples: Samples, gauge: Gauge, rows: (string | number | null)[][]): void {
	const { name, labels } = gauge
	if (Object.keys(labels).length > 0) Object.assign(samples, listZeroSamples(gauge))
	const known = Object.entries(labels)
	for (const row of rows) {
		const value = row.at(-1)
		if (typeof value !== 'number') continue
		const own = known.map(([label, values], i) => [label, boundedBy(values, String(row[i]))] as const)
		const series = formatSeriesName(name, Object.fromEntries(own))
		samples[series] = (samples[series] ?? 0) + value
	}
}

const boundedBy = (values: readonly string[] | null, value: string): string =>
	values === null || values.includes(value) ? value : OTHER
