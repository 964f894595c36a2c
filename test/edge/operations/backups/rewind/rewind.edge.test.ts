import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { getMe } from '#schema/contract/accounts/identity.ts'
import { getOrg } from '#schema/contract/accounts/orgs.ts'
import { getDiagnostics } from '#schema/contract/operations/diagnostics.ts'
import { getConfig, healthReady } from '#schema/contract/operations/health.ts'
import { repairSteps } from '#schema/contract/operations/rewind/repair-steps.ts'
import { MINUTE } from '../../../../../edge/platform/clock.ts'
import { openLostHour } from './lost-hour.ts'
import { openRestoredWorld, type RestoredWorld } from './restored-world.ts'

let world: RestoredWorld
beforeEach(async () => {
	world = await openRestoredWorld()
})

test('a restored database gets no requests until it is repaired, and revocations and erasures persist', async () => {
	const { restore, statuses, expectRepaired, bob, root } = await openLostHour(world)
	await restore()
	world.restart()

	expect(await statuses()).toEqual([503])
	const refused = await world.ask(getMe, {}, root)
	expect([refused.headers.get('retry-after'), refused.text]).toEqual([
		'15',
		expect.stringContaining('restored'),
	])
	// What trusts no credential and shows no person is served.
	expect((await world.ask(healthReady, {})).status).toBe(200)
	expect((await world.ask(getConfig, {})).status).toBe(200)
	const media = await world.fetch(new Request('https://edge.test/media/aaaaaaaaaaaaaaaaaaaaaa/master.m3u8'))
	expect(media.status).toBe(404)
	// Messages wait, and other tasks do not run.
	const { retryMessages } = await world.deliver([
		{ type: 'deletion.claim_reminders', kind: 'final' } as never,
	])
	expect(retryMessages).toHaveLength(1)
	await world.cron('17 3 * * *')
	expect(await statuses()).toEqual([503])

	await world.minute()
	await expectRepaired()
	const token = await world.logIn(bob)
	await world.deps(({ db }) =>
		db.all(`update users set is_superadmin = 1 where id = ${bob.userId} returning id`),
	)
	const { lastRepair } = (await world.ask(getDiagnostics, {}, { token })).ok.data
	expect(lastRepair).toMatchObject({ step: null, openedAt: expect.any(String), endedAt: expect.any(String) })
	expect(Object.keys(lastRepair?.changed ?? {}).toSorted()).toEqual([...repairSteps].toSorted())

	// The next restore is repaired like the first.
	await restore()
	world.restart()
	expect(await statuses()).toEqual([503])
	await world.minute()
	await expectRepaired()
})

test('repairs a restored database although the Worker dies before each call to it', async () => {
	const {
		restore,
		keys,
		root: { orgId },
		expectRepaired,
	} = await openLostHour(world)
	await restore()
	let hasDied = true
	for (let survived = 0; hasDied; survived++) {
		world.restart()
		expect([503, 401]).toContain(
			(await world.ask(getOrg, { params: { orgId } }, { key: keys.revoked.key })).status,
		)
		let left = survived
		let isInBatch = false
		hasDied = false
		const dying = world.dieDuring(
			() => {
				// The statements of a batch are sent together.
				if (!isInBatch) left--
				isInBatch = true
				queueMicrotask(() => {
					isInBatch = false
				})
				if (left >= 0) return
				hasDied = true
				throw new Error('the Worker has died')
			},
			() => world.minute(),
		)
		await dying.catch(() => undefined)
	}
	await expectRepaired()
})

test('notices within two minutes that the database was restored under a running Worker', async () => {
	const { restore, statuses } = await openLostHour(world)
	await statuses()
	await restore()
	// The first request after a minute has the state checked in the background.
	world.pass(MINUTE)
	await statuses()
	expect(await statuses()).toEqual([503])
})

test('restarts, or a vault that could not be written for a while, do not close the database', async () => {
	const root = await world.person()
	const older = await (await env.VAULT.get('rewind/checkpoint.json'))?.text()
	await world.minute()
	await world.minute()
	await env.VAULT.put('rewind/checkpoint.json', older ?? '')
	world.restart()
	expect((await world.ask(getMe, {}, root)).status).toBe(200)
	await world.minute()
	expect((await world.ask(getMe, {}, root)).status).toBe(200)
	expect(await world.rows('select id from rewind_repairs')).toEqual([])
})
