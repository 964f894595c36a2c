import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseMetrics } from '../../../../support/shared/formats/prometheus-text.ts'
import { type RunningWorker, startWorker } from '../../../../support/shared/miniflare-worker.ts'
import { needs } from '../../../../support/shared/needs.ts'
import { METRICS_TOKEN } from '../../../../support/shared/variables.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..', '..', '..', '..')
const promtool = spawnSync('promtool', ['--version']).status === 0

describe('Prometheus itself', needs({ promtool }), () => {
	let worker: RunningWorker
	beforeAll(async () => {
		worker = await startWorker({ vars: { METRICS_TOKEN } })
	})
	afterAll(() => worker.dispose())

	test('Prometheus accepts the page of a running installation', async () => {
		await fetch(`${worker.url}/health/ready`)
		const response = await fetch(`${worker.url}/metrics`, {
			headers: { authorization: `Bearer ${METRICS_TOKEN}` },
		})
		const page = await response.text()
		expect(parseMetrics(page).length).toBeGreaterThan(10)
		const checked = spawnSync('promtool', ['check', 'metrics', '--extended'], {
			input: page,
			encoding: 'utf8',
		})
		expect(checked.stderr).toBe('')
		expect(checked.status).toBe(0)
	})

	test('Prometheus accepts the alert rules, and they fire when they should', async () => {
		const rules = join(root, 'docs', 'operations', 'alerts.yml')
		expect((await run('promtool', ['check', 'rules', rules])).stdout).toContain('SUCCESS')
		const cases = join(import.meta.dirname, 'alerts.test.yml')
		expect((await run('promtool', ['test', 'rules', cases])).stdout).toContain('SUCCESS')
	})
})
