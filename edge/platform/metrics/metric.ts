import type { SQL } from 'drizzle-orm'

/**
 * The labels of a metric with their possible values; null for values fixed in the source. Bounded, because Prometheus
 * keeps each combination as a series. Never names an organization or a person.
 */
export type Labels = Readonly<Record<string, readonly string[] | null>>

export type LabelValues<L extends Labels> = {
	readonly [K in keyof L]: L[K] extends readonly (infer Value)[] ? Value : string
}

type Described<L extends Labels> = {
	readonly name: `playhouse_${string}`
	readonly help: string
	readonly labels: L
}

/** A number of events, counted where they happen. */
export type Counter<L extends Labels = Labels> = Described<L> & { readonly type: 'counter' }

/** How long something took, in seconds. */
export type Histogram<L extends Labels = Labels> = Described<L> & { readonly type: 'histogram' }

/** A measured value of the installation: read by reports, and by metrics if it is a gauge. */
export type Measure<L extends Labels = Labels> = {
	readonly labels: L
	/** Returns a query with a column for each label and a column `value`. It must read through an index. */
	readonly query: (now: number) => SQL
}

/** A current value, read at each scrape, only from rows that wait or fail. Null values are left out. */
export type Gauge<L extends Labels = Labels> = Described<L> & {
	readonly type: 'gauge'
	/** The value is an instant or null, and the metric its age in seconds; 0 without one. */
	readonly isInstant?: true
	/** null if the value is not in the database. */
	readonly query: Measure['query'] | null
}

export type Metric = Counter | Histogram | Gauge

/** Upper bounds of the buckets of a histogram. */
export const buckets: readonly number[] = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** Replaces values that a label does not list. */
export const OTHER = 'other'

/** Returns the name of a series, as Prometheus writes it. */
export function formatSeriesName(name: string, labels: Readonly<Record<string, string>>): string {
	const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeValue(value)}"`)
	return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`
}

const escapeValue = (value: string): string =>
	value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** Numbers by the name of their series. */
export type Samples = Record<string, number>

/** Returns a sample of 0 for each combination of labels; none if a label may have any value. */
export function listZeroSamples({ name, labels }: Metric): Samples {
	const combinations = Object.entries(labels).reduce<Record<string, string>[]>(
		(before, [label, values]) =>
			before.flatMap((rest) => (values ?? []).map((value) => ({ ...rest, [label]: value }))),
		[{}],
	)
	return Object.fromEntries(combinations.map((each) => [formatSeriesName(name, each), 0]))
}
