import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LeasedTask } from '#schema/contract/video/leases.ts'
import { openMonitor } from '../../../transcoder-daemon/monitor/monitor.ts'
import { parseMetrics } from '../../support/shared/formats/prometheus-text.ts'
import { needs } from '../../support/shared/needs.ts'
import { spawnDaemon } from '../daemon-process.ts'
import { type FakeEdge, openFakeEdge } from '../fake-edge.ts'
import { fakeFfmpeg } from '../fake-ffmpeg.ts'
import { memoryLog } from '../memory-log.ts'

const program = join(import.meta.dirname, '..', 'practice-daemon.ts')
const promtool = spawnSync('promtool', ['--version']).status === 0

let edge: FakeEdge
let dir: string
let env: Record<string, string>
beforeEach(async () => {
	edge = await openFakeEdge()
	dir = await mkdtemp(join(tmpdir(), 'playhouse-'))
	env = {
		PLAYHOUSE_EDGE_URL: edge.url,
		PLAYHOUSE_FLEET_TOKEN: 'a-token-of-enough-characters',
		PLAYHOUSE_DATA_DIR: join(dir, 'data'),
		PLAYHOUSE_METRICS_PORT: '0',
		FFMPEG_PATH: await fakeFfmpeg(
			dir,
			['libx264'],
			'if [ "$1 $2" = "-t 2" ]; then exit 3; fi\necho frame=12; echo progress=end',
		),
	}
})
afterEach(async () => {
	await edge[Symbol.asyncDispose]()
	await rm(dir, { recursive: true, force: true })
})

const failing = (digit: number): LeasedTask => ({
	...{
		id: `tsk_${String(digit).padStart(26, '0')}`,
		epoch: 1,
		source: null,
		leaseSeconds: 60,
		deadlineSec: 600,
	},
	spec: { kind: 'inspect', maxDurationSec: 2 },
})

/** Sends a request whose Host header a browser would not let a page choose. */
async function ask(port: number, path: string, options: { method?: string; host?: string } = {}) {
	const { method = 'GET', host = `127.0.0.1:${port}` } = options
	const sent = request({ host: '127.0.0.1', port, path, method, headers: { host } }).end()
	const [response] = await once(sent, 'response')
	let text = ''
	for await (const chunk of response) text += chunk
	return { status: response.statusCode as number, type: response.headers['content-type'] as string, text }
}

async function portOf(daemon: ReturnType<typeof spawnDaemon>): Promise<number> {
	const { port } = await daemon.waitForLog('monitor listens')
	if (port === undefined) throw new Error('the log names no port')
	return port
}

test('the monitor shows what the machine has done, in a form that Prometheus reads', async () => {
	edge.offer(failing(1), failing(2))
	await using daemon = spawnDaemon(env, [], program)
	const port = await portOf(daemon)
	await edge.until(() => edge.callsTo('failTask').length === 2)
	const page = await ask(port, '/metrics')
	expect([page.status, page.type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
	const samples = parseMetrics(page.text).flatMap((family) => family.samples)
	const sampleOf = (series: string) => samples.find((sample) => sample.series === series)?.value
	expect(sampleOf('playhouse_daemon_tasks_total{outcome="failed"}')).toBe(2)
	expect(sampleOf('playhouse_daemon_tasks_total{outcome="done"}')).toBe(0)
	expect(sampleOf('playhouse_daemon_draining')).toBe(0)
	expect(sampleOf('playhouse_daemon_slots')).toBeGreaterThan(0)
	expect(page.text).not.toContain(env.PLAYHOUSE_FLEET_TOKEN)

	const health = await ask(port, '/healthz')
	expect([health.status, JSON.parse(health.text)]).toEqual([
		200,
		{ ok: true, state: 'working', isConnected: false },
	])
})

test('the monitor answers only GET and HEAD for its two paths, and only by the name of this machine', async () => {
	await using daemon = spawnDaemon(env, [], program)
	const port = await portOf(daemon)
	expect((await ask(port, '/metrics', { host: 'rebound.example' })).status).toBe(403)
	expect((await ask(port, '/metrics', { method: 'POST' })).status).toBe(405)
	expect((await ask(port, '/status.json')).status).toBe(404)
	expect(await ask(port, '/metrics', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
	expect((await ask(port, '/healthz?x=1', { host: 'localhost' })).status).toBe(200)
})

test('a daemon does not start if another program uses its port, and names the port', async () => {
	const taken = createServer().listen(0, '127.0.0.1')
	await once(taken, 'listening')
	const { port } = taken.address() as AddressInfo
	await using daemon = spawnDaemon({ ...env, PLAYHOUSE_METRICS_PORT: String(port) }, [], program)
	await daemon.waitForLog(`PLAYHOUSE_METRICS_PORT: can't listen on port ${port}`)
	expect((await daemon.ended).code).toBe(78)
	taken.close()
})

test('the monitor does not stay open if the stop signal came before', async () => {
	const taken = createServer().listen(0, '127.0.0.1')
	await once(taken, 'listening')
	const { port } = taken.address() as AddressInfo
	await new Promise((closed) => taken.close(closed))
	const { log, messages } = memoryLog()
	await openMonitor(port, () => expect.unreachable(), log, AbortSignal.abort())
	await expect(ask(port, '/healthz')).rejects.toThrow('ECONNREFUSED')
	expect(messages()).toEqual([])
})

test('promtool accepts the metrics page of the daemon', needs({ promtool }), async () => {
	await using daemon = spawnDaemon(env, [], program)
	const { text } = await ask(await portOf(daemon), '/metrics')
	const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
	expect([checked.stderr, checked.status]).toEqual(['', 0])
})
