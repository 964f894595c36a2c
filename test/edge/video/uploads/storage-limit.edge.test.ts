import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { tiers } from '#schema/contract/accounts/tiers.ts'
import { createAsset, deleteAsset, getAsset } from '#schema/contract/video/assets.ts'
import type { LeasedTask } from '#schema/contract/video/leases.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import {
	completeUpload,
	createUploadToken,
	createUploadUrl,
	importSource,
	uploadSource,
} from '#schema/contract/video/uploads.ts'
import { storedObjects } from '../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'
import { type FakeMachine, openMachine } from '../transcoding/fake-machine.ts'
import { aFilm } from '../transcoding/sources.ts'
import { heldByObjects, openUpload, storedKeys } from './tus/tus-fixture.ts'

const LIMIT = Number(tiers.free.storageBytes)

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld({ DEFAULT_TIER: 'free' })
	ada = await world.person()
})

const create = async () => (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id
const upload = (assetId: string, bytes: string) =>
	world.ask(
		uploadSource,
		{ params: { assetId } },
		{ ...ada, bytes, headers: { 'content-length': String(bytes.length) } },
	)
const usage = async () => {
	const answer = await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)
	return answer.ok.data.used.storageBytes
}
async function claimFrom(machine: FakeMachine): Promise<LeasedTask> {
	const task = await machine.claim()
	if (!task) throw new Error('no task was offered')
	return task
}
const limitError = { status: 403, code: 'plan_limit' }

describe('storage', () => {
	test('storage usage counts sources and media until they are deleted', { tags: 'd1' }, async () => {
		expect(await usage()).toBe(0)
		const first = await create()
		await upload(first, 'the film')
		expect(await usage()).toBe(8)
		const { id } = await makeReady(world, ada, 'Film', { mediaBytes: 1_000 })
		expect(await usage()).toBe(1_008)
		await world.ask(deleteAsset, { params: { assetId: id } }, ada)
		expect(await usage()).toBe(8)
		const theirs = await world.person()
		await makeReady(world, theirs, 'Theirs', { mediaBytes: 77 })
		expect(await usage()).toBe(8)
	})

	test('storage usage is summed from an index in one statement', async () => {
		await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)
		const sum = world.statements.find((sql) => sql.includes('media_bytes')) ?? ''
		expect(await world.plan(sum)).toContainEqual(
			expect.stringMatching(/SEARCH stored USING COVERING INDEX assets_storage \(org_id=\?\)/),
		)
	})
})

describe('the storage limit of a tier', () => {
	test('full storage of a tier rejects every kind of upload', async () => {
		await makeReady(world, ada, 'Large', { mediaBytes: LIMIT })
		const params = { assetId: await create() }
		for (const answer of [
			await world.ask(createUploadUrl, { params }, ada),
			await world.ask(createUploadToken, { params, body: { fileSize: 1 } }, ada),
			await world.ask(importSource, { params, body: { sourceUrl: 'https://example.org/' } }, ada),
			await upload(params.assetId, 'x'),
		])
			expect(answer).toMatchObject(limitError)
		expect(await storedObjects(env.VAULT)).toEqual([])
	})

	test('the storage limit of a tier accepts a source that exactly fills it', { tags: 'd1' }, async () => {
		await makeReady(world, ada, 'Large', { mediaBytes: LIMIT - 8 })
		const params = { assetId: await create() }
		expect(await upload(params.assetId, 'too long.')).toMatchObject(limitError)
		const token = (fileSize: number) => world.ask(createUploadToken, { params, body: { fileSize } }, ada)
		expect(await token(9)).toMatchObject(limitError)
		expect((await token(8)).status).toBe(200)
		expect((await upload(params.assetId, 'the film')).status).toBe(200)
		expect(await usage()).toBe(LIMIT)
	})

	test('the storage limit admits one of two concurrent uploads that only fit alone', async () => {
		await makeReady(world, ada, 'Large', { mediaBytes: LIMIT - 12 })
		const [one, two] = [await create(), await create()]
		// Without a declared length, the limit is checked again at the end.
		const send = (assetId: string) =>
			world.ask(uploadSource, { params: { assetId } }, { ...ada, bytes: new Blob(['the film']).stream() })
		const answers = await Promise.all([send(one), send(two)])
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
		expect(await storedObjects(env.VAULT)).toHaveLength(1)
		expect(await usage()).toBe(LIMIT - 4)
	})

	test('the storage limit is checked when a resumable upload starts and ends, and a rejected one is deleted', {
		tags: 'd1',
	}, async () => {
		const upload = await openUpload(world, ada, 16)
		const location = await upload.begin(8)
		await upload.patch(location, 0, 'the fi')
		await makeReady(world, ada, 'Large', { mediaBytes: LIMIT - 4 })
		const end = await upload.patch(location, 6, 'lm')
		expect([end.status, end.headers.get('x-error-code')]).toEqual([403, 'plan_limit'])
		expect((await upload.post({ 'upload-length': '8' })).status).toBe(403)
		expect((await upload.head(location)).status).toBe(404)
		expect([await storedKeys(), await heldByObjects()]).toEqual([[], 0])
		expect(await world.deps((d) => d.db.all('select prefix from storage_purges'))).toEqual([])
		expect(await usage()).toBe(LIMIT - 4)
		const small = await upload.begin(4)
		expect((await upload.patch(small, 0, 'film')).status).toBe(204)
		expect(await usage()).toBe(LIMIT)
	})

	test('an import is limited to the remaining storage', async () => {
		await makeReady(world, ada, 'Large', { mediaBytes: LIMIT - 30 })
		const assetId = await create()
		const params = { assetId }
		await world.ask(importSource, { params, body: { sourceUrl: 'https://example.org/' } }, ada)
		await world.ask(processAsset, { params }, ada)
		const machine = await openMachine(world, { info: aFilm(10), fetched: 'a film of thirty-one bytes, so' })
		const task = await claimFrom(machine)
		expect(task.spec).toMatchObject({ kind: 'fetch', maxBytes: 30 })
		expect((await machine.perform(task)).status).toBe(200)
		expect(await usage()).toBe(LIMIT)
		const other = { assetId: await create() }
		// Without any room, processing does not start.
		await world.deps((d) =>
			d.db.all(
				`update assets set status = 'uploaded', source_url = 'https://example.org/' where id = '${other.assetId}' returning 1`,
			),
		)
		expect(await world.ask(processAsset, { params: other }, ada)).toMatchObject(limitError)
	})

	test('an import that no longer fits fails, and nothing of it is stored', async () => {
		const assetId = await create()
		const params = { assetId }
		await world.ask(importSource, { params, body: { sourceUrl: 'https://example.org/' } }, ada)
		await world.ask(processAsset, { params }, ada)
		const machine = await openMachine(world, { info: aFilm(10), fetched: 'the film' })
		const task = await claimFrom(machine)
		const large = await makeReady(world, ada, 'Large', { mediaBytes: LIMIT - 4 })
		expect((await machine.perform(task)).status).toBe(200)
		expect((await world.ask(getAsset, { params }, ada)).ok.data).toMatchObject({
			status: 'error',
			errorMessage: 'the tier free allows 10 GB of storage; this video would exceed them',
			job: { status: 'failed' },
		})
		await world.cron('* * * * *')
		await world.deliver()
		expect(await storedKeys()).toEqual([])
		expect(await machine.claim()).toBeNull()
		// Once there is room, the next run fetches it again.
		await world.ask(deleteAsset, { params: { assetId: large.id } }, ada)
		await world.ask(processAsset, { params }, ada)
		expect((await machine.drain()).slice(0, 2)).toEqual(['fetch', 'inspect'])
		expect((await world.ask(getAsset, { params }, ada)).ok.data.status).toBe('ready')
	})

	test('the completion of an uploaded file is rejected while storage is full', async () => {
		const params = { assetId: await create() }
		const { uploadUrl } = (await world.ask(createUploadUrl, { params }, ada)).ok.data
		const large = await makeReady(world, ada, 'Large', { mediaBytes: LIMIT - 4 })
		const put = { method: 'PUT', body: 'the film', headers: { 'content-length': '8' } }
		await world.fetch(new Request(uploadUrl, put))
		expect(await world.ask(completeUpload, { params }, ada)).toMatchObject(limitError)
		expect((await world.ask(getAsset, { params }, ada)).ok.data.status).toBe('created')
		await world.ask(deleteAsset, { params: { assetId: large.id } }, ada)
		expect((await world.ask(completeUpload, { params }, ada)).status).toBe(200)
	})
})

test('a tier without a storage limit accepts any size', async () => {
	world = await openWorld({ DEFAULT_TIER: 'self-hosted' })
	ada = await world.person()
	await makeReady(world, ada, 'Large', { mediaBytes: Number.MAX_SAFE_INTEGER - 100 })
	expect((await upload(await create(), 'the film')).status).toBe(200)
})
