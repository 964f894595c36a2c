import { beforeEach, describe, expect, test } from 'vitest'
import { login } from '#schema/contract/accounts/identity.ts'
import { inviteMember } from '#schema/contract/accounts/org-members.ts'
import { chooseQueue, type Message } from '#schema/contract/messages.ts'
import { requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { DAY, MINUTE, SECOND } from '../../edge/platform/clock.ts'
import { recordEventStatement } from '../../edge/platform/outbox/outbox.ts'
import { openOutboxWorld } from './outbox-kit.ts'

let world: Awaited<ReturnType<typeof openOutboxWorld>>
beforeEach(async () => {
	world = await openOutboxWorld()
})

const BUSY = 'org_busy'
const isBusy = (id: string) => id.startsWith(`evt_${BUSY}`)
const typesOf = async (ids: readonly string[]) => {
	const rows = await world.rows<{ id: string; type: string }>('select id, type from outbox')
	const types = new Map(rows.map(({ id, type }) => [id, type]))
	return ids.map((id) => types.get(id))
}
const invite = () =>
	world.ask(
		inviteMember,
		{ params: { orgId: world.ada.orgId }, body: { email: 'new@example.org' } },
		world.ada,
	)
const updates = (statements: readonly string[]) => statements.filter((sql) => /^update "outbox"/.test(sql))

describe('a request', () => {
	test('a request relays its own events at once while 20,000 events of another organization wait', async () => {
		await world.fill(20_000, 'member.left', BUSY)
		const made = await world.ask(createAsset, { body: { title: 'Film' } }, world.ada)
		const params = { assetId: made.ok.data.id }
		await world.ask(importSource, { params, body: { sourceUrl: 'https://example.org/film.mp4' } }, world.ada)
		world.takeQueuedIds()
		world.messages.length = 0
		expect((await world.ask(processAsset, { params }, world.ada)).ok.data.status).toBe('queued')
		expect((await invite()).status).toBe(201)
		expect(await typesOf(world.takeQueuedIds())).toEqual(['asset.processing', 'org.member_invited'])
		await world.deliver()
		expect(world.messages.map(({ type }) => type)).toEqual(['mail.send'])
	})

	test('relays the event of a sign-in from a new network, and looks for none from a known one', async () => {
		const { email, password } = world.ada
		const signIn = () => world.ask(login, { body: { email, password } }, { ip: '203.0.113.7' })
		const first = await signIn()
		expect(updates(first.statements)).toHaveLength(1)
		expect(await typesOf(world.takeQueuedIds())).toEqual(['account.signed_in_anew'])
		expect(updates((await signIn()).statements)).toEqual([])
	})

	test('a request relays its events in one statement, and none for events without followers', async () => {
		const made = await world.ask(createAsset, { body: { title: 'Film' } }, world.ada)
		expect(updates(made.statements)).toEqual([])
		expect(
			await world.rows("select payload from outbox where type = 'asset.created' and done_at > 0"),
		).toEqual([{ payload: expect.stringContaining('Film') }])
		const params = { assetId: made.ok.data.id }
		const { statements } = await world.ask(deleteAsset, { params }, world.ada)
		const relays = updates(statements)
		expect(relays).toHaveLength(1)
		// The others are purges of stored objects.
		expect(world.takeQueuedIds().filter((id) => id.startsWith('evt_'))).toHaveLength(1)
		const plan = (await world.plan(relays[0] as string)).join('\n')
		expect(plan).toContain('SEARCH outbox USING INDEX sqlite_autoindex_outbox_1 (id=?)')
	})

	test('a request succeeds and loses no event when the queue is unavailable', async () => {
		world.queue.beforeEach = () => Promise.reject(new Error('the queue is away'))
		expect((await invite()).status).toBe(201)
		await expect(world.sweep()).rejects.toThrow('1 scheduled tasks failed')
		world.queue.beforeEach = async () => {}
		// The failed attempts do not delay the event.
		const [ids = []] = await world.sweep()
		expect(await typesOf(ids)).toEqual(['org.member_invited'])
	})
})

test('bulk events use a separate queue, so that they don’t delay urgent ones', { tags: 'd1' }, async () => {
	const bulk: string[] = []
	const take = async (...messages: Message[]) => void bulk.push(...messages.map(({ type }) => type))
	world.bindings.BULK = {
		send: take,
		sendBatch: (batch: { body: Message }[]) => take(...batch.map(({ body }) => body)),
	} as unknown as Queue
	await world.fill(300, 'member.left', BUSY)
	await world.recordOnly(world.ada.orgId)
	await world.sweep()
	expect(bulk).toEqual(Array(301).fill('event.happened'))
	expect(world.messages.map(({ type }) => type)).toEqual(['event.happened', 'event.happened'])
	expect(
		chooseQueue({ type: 'mail.send', id: 'm', to: 'a@example.org', subject: '', text: '', html: '' }),
	).toBe('BACKGROUND')
})

test('a queue consumer relays the events that it records', { tags: 'd1' }, async () => {
	const departing = await world.person()
	const confirmation = { body: { confirm_email: departing.email } }
	expect((await world.ask(requestAccountDeletion, confirmation, departing)).status).toBe(201)
	world.pass(31 * DAY)
	world.messages.length = 0
	await world.cron('*/10 * * * *')
	expect(world.messages.map(({ type }) => type)).toEqual(['deletion.execute'])
	world.takeQueuedIds()
	await world.deliver()
	expect(await typesOf(world.takeQueuedIds())).toContain('account.erased')
})

describe('the sweep', () => {
	test('the sweep queues urgent events and each organization’s share before 20,000 events of one', {
		tags: 'd1',
	}, async () => {
		await world.fill(20_000, 'member.left', BUSY)
		await world.recordOnly(world.ada.orgId)
		const before = world.statements.length
		const batches = await world.sweep()
		const types = await Promise.all(
			batches.slice(0, 3).map((ids) => typesOf(ids.filter((id) => !isBusy(id)))),
		)
		expect(types).toEqual([['asset.processing'], ['org.api_key_created'], ['member.left']])
		const ids = batches.flat()
		expect(ids).toHaveLength(20_003)
		expect(new Set(ids).size).toBe(20_003)
		expect(Math.max(...batches.map((batch) => batch.length))).toBe(100)
		expect(updates(world.statements.slice(before)).length).toBeLessThanOrEqual(204)
		expect(await world.sweep()).toEqual([])
	})

	test('the sweep queues events of every organization before it continues with the first one', async () => {
		await world.fill(500, 'member.left', BUSY)
		const others = Array.from({ length: 150 }, (_, i) => `org_${String(i).padStart(3, '0')}`)
		for (const tenant of others) await world.fill(2, 'member.left', tenant)
		const ids = (await world.sweep()).flat()
		expect(ids).toHaveLength(800)
		const firstOf = (tenant: string) => ids.findIndex((id) => id.startsWith(`evt_${tenant}_`))
		const lastFirst = Math.max(...others.map(firstOf))
		expect(ids.slice(0, lastFirst).filter(isBusy).length).toBeLessThanOrEqual(2)
	})

	test('the sweep stops after its time limit and continues a minute later, with urgent events first', async () => {
		await world.fill(3_000, 'asset.processing', BUSY)
		await world.recordOnly(world.ada.orgId)
		world.queue.beforeEach = async () => world.pass(SECOND)
		const first = (await world.sweep()).flat()
		expect(await typesOf(first.filter((id) => !isBusy(id)))).toEqual([
			'asset.processing',
			'org.api_key_created',
			'member.left',
		])
		expect(first.length).toBeLessThanOrEqual(2_100)
		const ids = [...first, ...(await world.sweep()).flat()]
		expect(ids).toHaveLength(3_003)
		expect(new Set(ids).size).toBe(3_003)
	})

	test('the sweep continues in the next run after a failure and queues each event once', async () => {
		await world.fill(1_000, 'member.left', BUSY)
		let calls = 0
		world.queue.beforeEach = async () => {
			if (++calls === 4) throw new Error('the queue is away')
		}
		await expect(world.sweep()).rejects.toThrow('1 scheduled tasks failed')
		const ids = [...world.takeQueuedIds()]
		expect(ids).toHaveLength(300)
		ids.push(...(await world.sweep()).flat())
		expect(ids).toHaveLength(1_000)
		expect(new Set(ids).size).toBe(1_000)
	})

	test('the sweep queues events again that were claimed but not handled, the urgent ones sooner', {
		tags: 'd1',
	}, async () => {
		await world.recordOnly(world.ada.orgId)
		expect((await world.sweep()).flat()).toHaveLength(3)
		expect(await world.sweep()).toEqual([])
		// The lease is two minutes for urgent events and ten for the others.
		world.pass(MINUTE)
		expect(await typesOf((await world.sweep()).flat())).toEqual(['asset.processing', 'org.api_key_created'])
		world.pass(7 * MINUTE)
		expect(await typesOf((await world.sweep()).flat())).toContain('member.left')
	})

	test('the sweep queues each event once when it runs beside another sweep or a request', async () => {
		await world.fill(1_000, 'member.left', BUSY)
		await world.recordOnly(world.ada.orgId)
		world.pass(MINUTE)
		await Promise.all([invite(), world.cron('* * * * *'), world.cron('* * * * *')])
		const ids = world.takeQueuedIds()
		expect(ids).toHaveLength(1_004)
		expect(new Set(ids).size).toBe(1_004)
	})

	test('the sweep skips events that are not due', async () => {
		await world.fill(3, 'member.left', BUSY)
		await world.rows(`update outbox set due_at = ${world.now + 10 * MINUTE} returning 1`)
		expect(await world.sweep()).toEqual([])
		world.pass(10 * MINUTE)
		expect(await world.sweep()).toHaveLength(1)
	})

	test('the sweep finds tenants and their events by an index', async () => {
		await world.fill(200, 'member.left', BUSY)
		await world.recordOnly(world.ada.orgId)
		const before = world.statements.length
		await world.sweep()
		const sent = world.statements
			.slice(before)
			.filter((sql) => /\boutbox\b/.test(sql) && !/webhook_|audit_log/.test(sql))
		expect(sent.length).toBeGreaterThan(4)
		for (const sql of new Set(sent)) {
			const plan = await world.plan(sql)
			expect(plan.filter((line) => /^SCAN (outbox|o|own|due)\b/.test(line))).toEqual([])
			expect(plan.join('\n')).toContain('USING INDEX outbox_waiting (urgency=? AND tenant=?')
		}
	})

	test('the sweep treats a community without organization and each account event as a separate tenant', async () => {
		await world.deps(async ({ db, work }) => {
			await db.batch([
				recordEventStatement(work, {
					type: 'member.left',
					orgId: null,
					payload: { communityId: 7, memberId: 1 },
				}),
				recordEventStatement(work, {
					type: 'account.erased',
					orgId: null,
					payload: { requestId: 'req' },
				}),
			])
		})
		const rows = await world.rows<{ id: string; tenant: string }>(
			'select id, tenant from outbox where done_at is null order by type',
		)
		expect(rows.map(({ tenant }) => tenant)).toEqual([rows[0]?.id, 'community:7'])
	})
})
