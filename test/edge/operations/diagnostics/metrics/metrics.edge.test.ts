/** @module-tag d1 */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import { healthReady } from '#schema/contract/operations/health.ts'
import { getMetrics } from '#schema/contract/operations/installation/metrics.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { createApp } from '../../../../../edge/app.ts'
import { DAY, MINUTE, SECOND } from '../../../../../edge/platform/clock.ts'
import { jsonLog } from '../../../../../edge/platform/log.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { parseMetrics } from '../../../../support/shared/formats/prometheus-text.ts'
import { METRICS_TOKEN } from '../../../../support/shared/variables.ts'
import { machine } from '../../../video/fleet/fleet.ts'
import { openMachine } from '../../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../../video/transcoding/sources.ts'
import { openStudio } from '../../../video/transcoding/transcoding-fixture.ts'
import { scrape, scrapePage } from './scrape.ts'

let world: World
let admin: Person
beforeEach(async () => {
	world = await openWorld({ METRICS_TOKEN }, { counts: true })
	admin = await world.person()
})

const invite = () =>
	world.ask(inviteMember, { params: { orgId: admin.orgId }, body: { email: 'new@example.org' } }, admin)
const read = (headers: Record<string, string>) => world.ask(getMetrics, {}, { headers })

describe('the token of metrics', () => {
	test('the metrics endpoint answers 404 while METRICS_TOKEN is not set', async () => {
		world.set({ METRICS_TOKEN: undefined })
		expect((await read({ authorization: `Bearer ${METRICS_TOKEN}` })).status).toBe(404)
	})

	test('a missing or wrong metrics token gets 401 with the expected scheme', async () => {
		const credentials: Record<string, string>[] = [
			{},
			{ authorization: 'Bearer wrong' },
			{ authorization: `Bearer ${METRICS_TOKEN}x` },
			{ authorization: `Bearer ${admin.token}` },
			{ 'x-api-key': METRICS_TOKEN },
		]
		for (const headers of credentials) {
			const answer = await read(headers)
			expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
		}
	})
})

test('a scrape takes one statement, and none while the last page is fresh', async () => {
	const first = await scrapePage(world)
	expect(first.statements).toHaveLength(1)
	expect(first.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
	world.pass(14 * SECOND)
	const second = await world.ask(getMetrics, {}, { token: METRICS_TOKEN })
	expect([second.statements, second.text]).toEqual([[], first.text])
	const third = await scrapePage(world)
	expect(third.statements).toHaveLength(1)
	expect(third.text).not.toBe(first.text)
})

test('the statement of a scrape reads through indexes and never scans a large table', async () => {
	const [statement = ''] = (await scrapePage(world)).statements
	const plan = await world.plan(statement)
	// SQLite also writes SEARCH for a walk that looks for a minimum.
	const walks = plan.filter((line) => /^(SCAN|SEARCH) (?!.*USING (.* )?(INDEX|PRIMARY KEY))/.test(line))
	const names = walks.flatMap((line) => /^\w+ (\w+)/.exec(line)?.[1] ?? [])
	// Machines are few. The others are parts of the statement itself.
	expect(names.filter((name) => !['machines', 'each', 'oldest', 'CONSTANT'].includes(name))).toEqual([])
	expect(plan.filter((line) => /ai_calls_created|AUTOMATIC/.test(line))).toEqual([])
})

describe('counted requests', () => {
	test('requests are counted by operation and status, with their duration', async () => {
		const before = await scrape(world)
		for (let i = 0; i < 3; i++) await world.ask(healthReady, {})
		await world.ask(getOrg, { params: { orgId: admin.orgId } })
		await world.fetch(new Request('https://edge.test/no/such/path'))
		const after = await scrape(world)
		const increase = (series: string) => (after[series] ?? 0) - (before[series] ?? 0)
		expect(increase('playhouse_http_requests_total{operation="healthReady",status="2xx"}')).toBe(3)
		expect(increase('playhouse_http_requests_total{operation="getOrg",status="4xx"}')).toBe(1)
		expect(increase('playhouse_http_requests_total{operation="none",status="4xx"}')).toBe(1)
		expect(increase('playhouse_http_request_duration_seconds_count{group="Health and config"}')).toBe(3)
	})

	test('requests with 501 and 507 are counted apart from failures', async () => {
		const before = await scrape(world)
		await world.fetch(new Request('https://edge.test/v1/billing/webhook', { method: 'POST', body: '{}' }))
		await world.dieDuring(
			() => {
				throw new Error('D1_ERROR: Exceeded maximum DB size')
			},
			() => world.ask(createAsset, { body: { title: 'Film' } }, admin),
		)
		const after = await scrape(world)
		const counted = Object.keys(after).filter(
			(series) => /^playhouse_http_requests_total.*"5..?"/.test(series) && after[series] !== before[series],
		)
		expect(counted).toEqual([
			'playhouse_http_requests_total{operation="createAsset",status="507"}',
			'playhouse_http_requests_total{operation="receiveBillingEvent",status="501"}',
		])
	})

	test('counting requests adds no statement and waits for no call', async () => {
		const counted = (await world.ask(healthReady, {})).statements
		Object.assign(world.bindings, { METRICS: undefined })
		expect((await world.ask(healthReady, {})).statements).toEqual(counted)

		const batches: unknown[] = []
		const add = async (batch: unknown) => void batches.push(batch)
		Object.assign(world.bindings, { METRICS: { getByName: () => ({ add }) } })
		const collected = Promise.withResolvers<void>()
		const app = createApp({ wait: () => collected.promise, log: jsonLog(() => undefined) })
		const ctx = createExecutionContext()
		const { status } = await app.fetch(
			new Request(`https://edge.test${healthReady.path}`),
			world.bindings,
			ctx,
		)
		expect([status, batches]).toEqual([200, []])
		collected.resolve()
		await waitOnExecutionContext(ctx)
		expect(batches).toHaveLength(1)
	})

	test('counts that could not be sent to the metrics object are sent later, each once', async () => {
		const series = 'playhouse_http_requests_total{operation="healthReady",status="2xx"}'
		const before = (await scrape(world))[series] ?? 0
		const real = env.METRICS
		let fault: 'request' | 'response' | null = 'request'
		const getByName = (name: string) => {
			const stub = real.getByName(name) as unknown as { add(batch: unknown): Promise<void> }
			return new Proxy(stub, {
				get(target, property) {
					if (property !== 'add') return Reflect.get(target, property)
					return async (batch: unknown) => {
						if (fault === 'request') throw new Error('lost')
						await target.add(batch)
						if (fault === 'response') throw new Error('lost')
					}
				},
			})
		}
		Object.assign(world.bindings, { METRICS: { getByName } })
		await world.ask(healthReady, {})
		fault = 'response'
		await world.ask(healthReady, {})
		fault = null
		await world.ask(healthReady, {})
		expect((await scrape(world))[series]).toBe(before + 3)
		expect(world.logs.filter(({ level }) => level === 'error')).toHaveLength(2)
	})
})

test('metrics count messages and scheduled tasks by outcome', async () => {
	await world.ask(inviteMember, { params: { orgId: admin.orgId }, body: { email: 'new@example.org' } }, admin)
	const sent = world.messages.length
	expect(sent).toBeGreaterThan(0)
	await world.deliver()
	await world.deliver([{ type: 'unheard-of' } as never])
	await world.cron('* * * * *')
	const samples = await scrape(world)
	const done = Object.entries(samples).filter(([series]) => /^playhouse_messages_total.*"done"/.test(series))
	expect(done.reduce((total, [, value]) => total + value, 0)).toBe(sent)
	expect(samples['playhouse_messages_total{type="unknown",outcome="failed"}']).toBe(1)
	expect(samples['playhouse_scheduled_runs_total{task="reap-jobs",outcome="done"}']).toBe(1)
})

test('scheduled tasks that have not run yet are reported as 0, so that a first failure is an increase', async () => {
	expect(await scrape(world)).toMatchObject({
		'playhouse_scheduled_runs_total{task="start-daily-backup",outcome="failed"}': 0,
		'playhouse_scheduled_runs_total{task="prune",outcome="failed"}': 0,
		'playhouse_scheduled_runs_total{task="relay-events",outcome="done"}': 0,
	})
})

test('metrics report queues, machines and lost leases', async () => {
	const studio = openStudio(world, admin)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await machine(world)
	expect(await scrape(world)).toMatchObject({
		playhouse_database_up: 1,
		'playhouse_jobs{status="queued"}': 1,
		'playhouse_jobs{status="processing"}': 0,
		'playhouse_tasks{kind="inspect",state="queued"}': 1,
		'playhouse_machines{state="online"}': 1,
		'playhouse_machines{state="offline"}': 0,
		playhouse_dead_letters: 0,
	})
	const first = await openMachine(world, { info: aFilm(10) })
	await first.claim()
	world.pass(2 * MINUTE)
	expect(await scrape(world)).toMatchObject({
		'playhouse_jobs{status="processing"}': 1,
		playhouse_leases_overdue: 1,
		'playhouse_machines{state="offline"}': 2,
		'playhouse_task_attempts_total{kind="inspect",outcome="expired"}': 0,
	})
	// The second machine takes the lease over before the reaper finds it.
	const second = await openMachine(world, { info: aFilm(10) }, 'second')
	await second.drain()
	expect(await scrape(world)).toMatchObject({
		'playhouse_task_attempts_total{kind="inspect",outcome="expired"}': 1,
		'playhouse_task_attempts_total{kind="inspect",outcome="done"}': 1,
		'playhouse_jobs_ended_total{outcome="completed"}': 1,
		'playhouse_jobs_ended_total{outcome="failed"}': 0,
	})
})

test('metrics report the free space of a disk where there is one', async () => {
	expect(await scrape(world)).not.toHaveProperty('playhouse_disk_free_bytes')
	world.set({ DISK: { fetch: async () => new Response('123456') } as never })
	world.pass(MINUTE)
	expect((await scrape(world)).playhouse_disk_free_bytes).toBe(123_456)
})

test('metrics report waiting events with the age of the oldest', async () => {
	await world.ask(inviteMember, { params: { orgId: admin.orgId }, body: { email: 'new@example.org' } }, admin)
	world.pass(10 * MINUTE)
	const samples = await scrape(world)
	expect(samples['playhouse_outbox_waiting{urgency="mail"}']).toBeGreaterThan(0)
	expect(samples.playhouse_outbox_oldest_seconds).toBeGreaterThanOrEqual(600)
})

test('the counters and the outage itself are reported while the database is down', async () => {
	await world.ask(healthReady, {})
	const samples = await world.dieDuring(
		(sql) => {
			if (sql.includes('json_group_array')) throw new Error('the database is down')
		},
		() => scrape(world),
	)
	expect(samples.playhouse_database_up).toBe(0)
	expect(samples['playhouse_http_requests_total{operation="healthReady",status="2xx"}']).toBe(1)
	expect(samples).not.toHaveProperty('playhouse_dead_letters')
})

test('no label of a metric names an organization, a person or a video', async () => {
	const { ok } = await world.ask(createAsset, { body: { title: 'Secret film' } }, admin)
	await invite()
	await world.deliver()
	world.pass(DAY)
	await world.cron('*/10 * * * *')
	const { text } = await scrapePage(world)
	for (const secret of [
		admin.orgId,
		admin.orgSlug,
		admin.email,
		ok.data.id,
		ok.data.playbackId,
		'Secret film',
	])
		expect(text).not.toContain(secret)
	const labels = parseMetrics(text).flatMap(({ samples }) =>
		samples.flatMap(({ labels }) => Object.keys(labels)),
	)
	const names = [
		'group',
		'kind',
		'le',
		'operation',
		'outcome',
		'provider',
		'queue',
		'state',
		'status',
		'step',
	]
	expect([...new Set(labels)].toSorted()).toEqual([...names, 'task', 'type', 'urgency'])
})
