import { beforeEach, describe, expect, test } from 'vitest'
import * as admin from '#schema/contract/operations/admin/asset-errors.ts'
import { getAsset } from '#schema/contract/video/assets.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openMachine } from '../../video/transcoding/fake-machine.ts'
import { aFilm } from '../../video/transcoding/sources.ts'
import { openStudio } from '../../video/transcoding/transcoding-fixture.ts'

let world: World
let root: Person
let machine: Awaited<ReturnType<typeof openMachine>>
beforeEach(async () => {
	world = await openWorld()
	root = await world.person()
	machine = await openMachine(world, { info: aFilm(10) })
})

/** Uploads a video of a person whose processing fails. Returns the asset. */
async function failing(owner: Person, message: string): Promise<string> {
	const studio = openStudio(world, owner)
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await failNext(message)
	return assetId
}
async function failNext(message: string): Promise<void> {
	const task = await machine.claim()
	if (!task) throw new Error('nothing to do')
	await machine.fail(task, 'permanent', message)
}
const groups = async () => (await world.ask(admin.listAssetErrors, { query: {} }, root)).ok.data
const retry = async (fingerprint: string, body: { limit?: number; after?: string } = {}) =>
	(await world.ask(admin.retryAssetErrors, { params: { fingerprint }, body }, root)).ok.data
const statusOf = async (assetId: string, owner: Person) =>
	(await world.ask(getAsset, { params: { assetId } }, owner)).ok.data.status

describe('asset errors', () => {
	test('asset errors are grouped across organizations by what their messages have in common', async () => {
		const ada = await world.person()
		const first = await failing(root, 'The file ends after 3 of 10 seconds.')
		const second = await failing(ada, 'The file ends after 7 of 12 seconds.')
		await failing(ada, 'The video has no frames.')
		const [frames, ends] = await groups()
		expect(frames).toMatchObject({ message: 'The video has no frames.', assets: 1, occurrences: 1 })
		expect(ends).toMatchObject({
			message: 'The file ends after <n> of <n> seconds.',
			assets: 2,
			occurrences: 2,
		})
		expect(ends?.firstSeenAt).not.toBe(ends?.lastSeenAt)
		const params = { fingerprint: ends?.fingerprint ?? '' }
		const listed = (await world.ask(admin.listAssetsWithError, { params, query: {} }, root)).ok.data
		expect(listed.map(({ id, orgId }) => [id, orgId])).toEqual([
			[second, ada.orgId],
			[first, root.orgId],
		])
		expect((await world.ask(admin.listAssetErrors, { query: {} }, ada)).status).toBe(403)
	})

	test('asset errors are retried in steps, and no run retries an asset twice', async () => {
		const assets = [await failing(root, 'Lost 1 frame.'), await failing(root, 'Lost 2 frames.')]
		const third = await failing(root, 'Lost 3 frames.')
		const [group] = (await groups()).filter(({ message }) => message === 'Lost <n> frames.')
		const fingerprint = group?.fingerprint ?? ''
		const step = await retry(fingerprint, { limit: 1 })
		expect(step).toMatchObject({ retried: 1, skipped: [], next: expect.any(String) })
		expect(await statusOf(assets[1] as string, root)).toBe('queued')
		await failNext('Lost 9 frames.')
		expect(await retry(fingerprint, { limit: 1, after: step.next ?? '' })).toEqual({
			retried: 1,
			skipped: [],
			next: null,
		})
		expect(await statusOf(third, root)).toBe('queued')
		expect(await statusOf(assets[1] as string, root)).toBe('error')
		expect(await statusOf(assets[0] as string, root)).toBe('error')
	})

	test('an asset that two requests retry at the same time is queued once', async () => {
		const assetId = await failing(root, 'The video has no frames.')
		const fingerprint = (await groups())[0]?.fingerprint ?? ''
		const both = await Promise.all([retry(fingerprint), retry(fingerprint)])
		expect(both.reduce((sum, { retried }) => sum + retried, 0)).toBe(1)
		const jobs = await world.deps((d) =>
			d.db.all(`select id from jobs where asset_id = '${assetId}' and status = 'queued'`),
		)
		expect(jobs).toHaveLength(1)
		expect((await groups())[0]).toMatchObject({ assets: 0, occurrences: 1 })
	})

	test('a retry of asset errors skips suspended organizations', async () => {
		const ada = await world.person()
		const assetId = await failing(ada, 'The video has no frames.')
		await world.deps((d) =>
			d.db.all(`update orgs set suspended_at = 1 where id = '${ada.orgId}' returning 1`),
		)
		const fingerprint = (await groups())[0]?.fingerprint ?? ''
		expect(await retry(fingerprint)).toMatchObject({
			retried: 0,
			skipped: [{ assetId, reason: 'org_suspended' }],
		})
	})

	test('asset errors are read from indexes', async () => {
		await failing(root, 'The video has no frames.')
		await groups()
		const list = await world.plan(world.statements.find((sql) => sql.includes('occurrences')) ?? '')
		expect(list.join('\n')).toMatch(/USING INDEX asset_error_groups_seen/)
		expect(list.join('\n')).toMatch(/SEARCH failed USING COVERING INDEX assets_error/)
		expect(list.join('\n')).not.toMatch(/TEMP B-TREE/)
	})
})
