import { beforeEach, expect, test } from 'vitest'
import { getInstallationStats } from '#schema/contract/operations/stats.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { totalsStore } from '../../../../../edge/operations/diagnostics/totals/store.ts'
import { HOUR, MINUTE } from '../../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'
import { METRICS_TOKEN } from '../../../../support/shared/variables.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'
import { scrape } from '../metrics/scrape.ts'

let world: World
let admin: Person
beforeEach(async () => {
	world = await openWorld({ METRICS_TOKEN }, { counts: true })
	admin = await world.person()
})

const totals = async () => (await world.ask(getInstallationStats, {}, admin)).ok.data
const measure = () => world.cron('*/10 * * * *')

test('totals are null until they are measured, and then stay the same for an hour', async () => {
	expect(await totals()).toBeNull()
	await world.ask(createAsset, { body: { title: 'Film' } }, admin)
	await makeReady(world, admin)
	await measure()
	const first = await totals()
	expect(first).toMatchObject({
		organizations: 1,
		users: 1,
		assets: { total: 2, byStatus: { created: 1, ready: 1, error: 0 } },
	})
	await world.person()
	world.pass(10 * MINUTE)
	await measure()
	expect(await totals()).toEqual(first)
	world.pass(HOUR)
	await measure()
	expect(await totals()).toMatchObject({ organizations: 2, users: 2 })
})

test('totals are among the metrics', async () => {
	await makeReady(world, admin)
	expect(await scrape(world)).not.toHaveProperty('playhouse_organizations')
	await measure()
	expect(await scrape(world)).toMatchObject({
		playhouse_organizations: 1,
		playhouse_users: 1,
		'playhouse_assets{status="ready"}': 1,
		'playhouse_assets{status="error"}': 0,
		playhouse_totals_measured_timestamp_seconds: expect.any(Number),
	})
})

test('totals read tables in pages in the order of their keys', async () => {
	for (let i = 0; i < 4; i++) await world.person()
	for (let i = 0; i < 5; i++) await world.ask(createAsset, { body: { title: `Film ${i}` } }, admin)
	for (const pageRows of [1, 2, 5, 100]) {
		const counted = await world.deps(async ({ db }) => {
			const store = totalsStore(db, pageRows)
			return [await store.countOrgs(), await store.countUsers(), await store.sumAssets()] as const
		})
		const [orgs, users, parts] = counted
		expect([orgs, users, parts.reduce((total, part) => total + part.count, 0)]).toEqual([5, 5, 5])
	}
})

test('superadmins alone see the totals', async () => {
	const { token } = await world.person()
	expect((await world.ask(getInstallationStats, {}, { token })).status).toBe(403)
	expect((await world.ask(getInstallationStats, {})).status).toBe(401)
})
