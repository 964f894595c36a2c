import { describe, expect, test } from 'vitest'
import { renderMetrics } from '../../../../../edge/operations/diagnostics/metrics/exposition.ts'
import { buckets, formatSeriesName, type Metric } from '../../../../../edge/platform/metrics/metric.ts'
import { parseMetrics } from '../../../../support/shared/formats/prometheus-text.ts'

const things: Metric = {
	type: 'counter',
	name: 'playhouse_things_total',
	help: 'Things.',
	labels: { outcome: ['done', 'failed'] },
}
const named: Metric = { ...things, name: 'playhouse_named_total', labels: { name: null } }
const time: Metric = {
	type: 'histogram',
	name: 'playhouse_time_seconds',
	help: 'Time.',
	labels: { group: null },
}

test('a counter with known labels starts at 0, and an empty one without known labels is left out', () => {
	expect(renderMetrics([things, named], { 'playhouse_things_total{outcome="done"}': 2 })).toBe(
		'# HELP playhouse_things_total Things.\n# TYPE playhouse_things_total counter\n' +
			'playhouse_things_total{outcome="done"} 2\nplayhouse_things_total{outcome="failed"} 0\n',
	)
})

test('label values of metrics are escaped', () => {
	const series = formatSeriesName(named.name, { name: 'a"b\\c\nd' })
	const [family] = parseMetrics(renderMetrics([named], { [series]: 1 }))
	expect(family?.samples[0]?.labels).toEqual({ name: 'a\\"b\\\\c\\nd' })
})

test('the buckets of a histogram are in ascending order and end with +Inf', () => {
	const samples = Object.fromEntries([
		...buckets.map((le) => [
			formatSeriesName(`${time.name}_bucket`, { group: 'Videos', le: String(le) }),
			le < 1 ? 0 : 3,
		]),
		[formatSeriesName(`${time.name}_bucket`, { group: 'Videos', le: '+Inf' }), 3],
		[formatSeriesName(`${time.name}_sum`, { group: 'Videos' }), 2.5],
		[formatSeriesName(`${time.name}_count`, { group: 'Videos' }), 3],
	])
	const [family] = parseMetrics(renderMetrics([time], samples))
	expect(family?.samples.slice(0, -3).map(({ labels }) => Number(labels.le))).toEqual(buckets)
	expect(family?.samples.at(-2)).toMatchObject({ value: 2.5 })
})

test('series of removed metrics are left out', () => {
	expect(renderMetrics([things], { playhouse_gone: 1, 'playhouse_things_total_x{a="b"}': 1 })).not.toMatch(
		/gone|_x/,
	)
})

describe('the parser of the tests', () => {
	const page = '# HELP a A.\n# TYPE a counter\na{b="c"} 1\n'
	test.each([
		['a missing end of line', page.slice(0, -1)],
		['a sample without a type', 'a 1\n'],
		['a type without help', '# TYPE a counter\na 1\n'],
		['a repeated series', `${page}a{b="c"} 2\n`],
		['a repeated family', `${page}${page}`],
		['a sample of another family', `${page}d 1\n`],
		['a broken label', page.replace('b="c"', 'b=c')],
		['a repeated label', page.replace('b="c"', 'b="c",b="d"')],
		['an unescaped quotation mark', page.replace('"c"', '"c"d"')],
		['no number', page.replace(' 1', ' one')],
	])('the Prometheus parser of the tests rejects %s', (_, text) => {
		expect(parseMetrics(page)).toHaveLength(1)
		expect(() => parseMetrics(text)).toThrow()
	})
})
