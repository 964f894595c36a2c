/** @module-tag d1 */
import { expect, test } from 'vitest'
import alerts from '../../../../../docs/operations/alerts.yml?raw'
import dashboard from '../../../../../docs/operations/grafana-dashboard.json?raw'
import guide from '../../../../../docs/operations/metrics.md?raw'
import { contributions, features } from '../../../../../edge/features.ts'
import { crons } from '../../../../../edge/http/feature.ts'
import { collectSchedules } from '../../../../../edge/schedules.ts'

const { metrics } = contributions
const names = metrics.map(({ name }) => name)
const seriesNames = metrics.flatMap(({ name, type }) =>
	type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
)
const namesIn = (text: string) => [...new Set(text.match(/playhouse_\w+/g))]
/** Returns the labels of `by (…)` and of selectors, with the metric that they are next to. */
const labelsIn = (text: string) =>
	[...text.matchAll(/(playhouse_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) =>
		[...selector.matchAll(/(\w+)!?=(~?)"([^"]*)"/g)].flatMap(([, label = '', tilde = '', values = '']) =>
			values.split('|').map((value) => ({ name, label, value, isPattern: tilde !== '' })),
		),
	)
const metricOf = (series: string) =>
	metrics.find(({ name, type }) => name === series || (type === 'histogram' && series.startsWith(`${name}_`)))

const queries = JSON.parse(dashboard).panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
	targets.map(({ expr }) => expr),
)

test('every metric has a unique name, a unit at its end, and bounded labels', () => {
	expect(names.length).toBeGreaterThan(20)
	expect(new Set(names).size).toBe(names.length)
	for (const { name, type, help, labels } of metrics) {
		expect(name).toMatch(/^playhouse_[a-z][a-z_]*[a-z]$/)
		expect(name.endsWith('_total'), name).toBe(type === 'counter')
		if (type === 'histogram') expect(name).toMatch(/_seconds$/)
		expect(help).toMatch(/^[A-Z].*\.$/)
		expect(Object.keys(labels).filter((label) => /org|user|asset|video|mail|^id$/.test(label))).toEqual([])
	}
})

test('alerts and the dashboard use only existing metrics, labels and values', () => {
	for (const text of [alerts, ...queries]) {
		expect(namesIn(text).filter((name) => !seriesNames.includes(name))).toEqual([])
		for (const { name, label, value } of labelsIn(text)) {
			const values = metricOf(name)?.labels[label]
			expect(values, `${name} has no label ${label}`).not.toBeUndefined()
			if (values) expect(values, name).toContain(value)
		}
	}
	expect(queries.length).toBeGreaterThan(20)
})

test('the alert for daily tasks names exactly those tasks', () => {
	const named = labelsIn(alerts).flatMap(({ label, value, isPattern }) =>
		label === 'task' && isPattern ? [value] : [],
	)
	const daily = collectSchedules(features).filter(
		({ cron }) => cron === crons.eachMorning || cron === crons.eachNight,
	)
	expect(named.toSorted()).toEqual([...new Set(daily.map(({ name }) => name))].toSorted())
})

test('the dashboard and the guide cover every metric, and the guide every alert', () => {
	const shown = namesIn(queries.join('\n')).map((name) => metricOf(name)?.name)
	expect(names.filter((name) => !shown.includes(name))).toEqual([])
	expect(names.filter((name) => !guide.includes(`\`${name}`))).toEqual([])
	const alertNames = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name = '']) => name)
	expect(alertNames.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
