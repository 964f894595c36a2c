import { beforeEach, expect, test } from 'vitest'
import { getInstallationStats } from '#schema/contract/operations/stats.ts'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
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

test('the bytes of videos in the trash count as storage in totals and metrics, and the videos do not count', async () => {
	const sizes = { sourceSizeBytes: 300, mediaBytes: 1_000 }
	await makeReady(world, admin, 'Film', sizes)
	const { id } = await makeReady(world, admin, 'Film', sizes)
	await world.ask(deleteAsset, { params: { assetId: id }, query: { trash: 'true' } }, admin)
	await measure()
	const storage = { sourceBytes: 600, mediaBytes: 2_000 }
	expect(await totals()).toMatchObject({ assets: { total: 1 }, storage })
	expect(await scrape(world)).toMatchObject({
		'playhouse_storage_bytes{kind="source"}': 600,
		'playhouse_storage_bytes{kind="media"}': 2_000,
		'playhouse_assets{status="ready"}': 1,
	})
})

test('totals read tables in pages in the order of their keys', async () => {
	for (let i = 0; i < 4; i++) await world.person()
	for (let i = 0; i < 9; i++) {
		const { id } = (await world.ask(createAsset, { body: { title: `Film ${i}` } }, admin)).ok.data
		const trashed = { params: { assetId: id }, query: { trash: 'true' as const } }
		if (i >= 5) await world.ask(deleteAsset, trashed, admin)
	}
	for (const pageRows of [1, 2, 5, 100]) {
		const counted = await world.deps(async ({ db }) => {
			const store = totalsStore(db, pageRows)
			const sums = [await store.sumAssets(), await store.sumTrash()]
			const counts = sums.map((parts) => parts.reduce((total, { count }) => total + count, 0))
			return [await store.countOrgs(), await store.countUsers(), ...counts]
		})
		expect(counted).toEqual([5, 5, 5, 4])
	}
})

test('superadmins alone see the totals', async () => {
	const { token } = await world.person()
	expect((await world.ask(getInstallationStats, {}, { token })).status).toBe(403)
	expect((await world.ask(getInstallationStats, {})).status).toBe(401)
})
