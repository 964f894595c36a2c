import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../database/database.ts'
import type { Labels, LabelValues, Measure } from './metric.ts'

export type MeasuredRow<L extends Labels = Labels> = LabelValues<L> & { value: number | null }
type Measured<M> = { [K in keyof M]: M[K] extends Measure<infer L> ? MeasuredRow<L>[] : never }

/** D1 allows 100 columns in a result, and each measure is one. */
const MAX_MEASURES = 90

/** Reads measures of features, with one statement for each 90 of them. */
export async function readMeasures<const M extends Readonly<Record<string, Measure>>>(
	db: Db,
	measures: M,
	now: number,
): Promise<Measured<M>> {
	const found: Record<string, unknown> = {}
	const columns = Object.entries(measures).map(
		([name, measure]) => sql`(${selectAsJson(measure, now)}) as ${sql.identifier(name)}`,
	)
	for (let at = 0; at < columns.length; at += MAX_MEASURES) {
		const part = sql.join(columns.slice(at, at + MAX_MEASURES), sql`, `)
		const row = await db.get<Record<string, string>>(sql`select ${part}`)
		for (const [name, rows] of Object.entries(row)) found[name] = JSON.parse(rows)
	}
	return found as Measured<M>
}

/** Returns the rows of a measure as one JSON text, so that those with and without labels fit into one row. */
function selectAsJson({ labels, query }: Measure, now: number): SQL {
	const fields = [...Object.keys(labels), 'value'].map((name) => sql.raw(`'${name}', "${name}"`))
	return sql`select json_group_array(json_object(${sql.join(fields, sql`, `)})) from (${query(now)})`
}

/** Adds up the values of the rows with these labels. */
export const sumValues = <L extends Labels>(
	rows: readonly MeasuredRow<L>[],
	labels: Partial<LabelValues<L>> = {},
): number =>
	rows
		.filter((row) => Object.entries(labels).every(([label, value]) => row[label] === value))
		.reduce((total, { value }) => total + (value ?? 0), 0)
