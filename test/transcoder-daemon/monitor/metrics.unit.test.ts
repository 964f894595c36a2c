import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderMetrics } from '../../../transcoder-daemon/monitor/metrics.ts'
import { parseMetrics } from '../../support/shared/formats/prometheus-text.ts'

const runningTask = (kind: string) => ({ ...{ task: 'tsk_1', kind, seconds: 1, progress: 0, speed: null } })
const pageWith = (...kinds: string[]) =>
	parseMetrics(
		renderMetrics({
			...{ startedAt: '2026-11-26T00:00:00.000Z', state: 'working', isConnected: true, slots: 2 },
			...{ running: kinds.map(runningTask), done: 0, failed: 0 },
			cache: { bytes: 0, capacityBytes: 1, sources: 0 },
		}),
	)

test('the metrics show every kind of task, even while none of it runs', () => {
	const valuesOf = (...kinds: string[]) => {
		const running = pageWith(...kinds)
			.flatMap(({ samples }) => samples)
			.filter(({ labels }) => labels.kind)
		return Object.fromEntries(running.map(({ labels, value }) => [labels.kind, value]))
	}
	expect(valuesOf()).toMatchObject({ video: 0, download: 0, inspect: 0 })
	expect(valuesOf('audio', 'audio')).toEqual({ ...valuesOf(), audio: 2 })
})

test('the guide names every metric of a machine', () => {
	const guide = readFileSync(join(import.meta.dirname, '../../../docs/operations/metrics.md'), 'utf8')
	const names = pageWith().map(({ name }) => name)
	expect(names.length).toBeGreaterThan(5)
	expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})
