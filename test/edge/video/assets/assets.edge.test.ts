import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { createAsset, deleteAsset, getAsset, listAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { createCollection, deleteCollection, listCollections } from '#schema/contract/video/collections.ts'
import { getThumbnail } from '#schema/contract/watch/playback.ts'
import { downloadPrefix } from '../../../../edge/video/assets/storage-keys.ts'
import { storedObjects } from '../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	world.messages.length = 0
})

const create = async (title: string, who: Person = ada) =>
	(await world.ask(createAsset, { body: { title } }, who)).ok.data
const get = (assetId: string, who: Person = ada) => world.ask(getAsset, { params: { assetId } }, who)
const change = (assetId: string, body: object, who: Person = ada) =>
	world.ask(updateAsset, { params: { assetId }, body }, who)
const remove = (assetId: string, who: Person = ada) => world.ask(deleteAsset, { params: { assetId } }, who)
const collect = async (name: string, who: Person = ada) =>
	(await world.ask(createCollection, { body: { name, color: 'blue' } }, who)).ok.data.id
const list = (query: Record<string, string> = {}, who: Person = ada) => world.ask(listAssets, { query }, who)
const titles = async (query: Record<string, string> = {}) => (await list(query)).ok.data.map((a) => a.title)
const events = () =>
	world.deps((d) =>
		d.db.all<{ type: string; payload: string }>(
			"select type, payload from outbox where type like 'asset.%' order by id",
		),
	)

describe('an asset', () => {
	test('an asset is created empty, with its own playback id', async () => {
		const { status, ok } = await world.ask(
			createAsset,
			{ body: { title: '  Lecture 1 ', metadata: { course: 'Film' } } },
			ada,
		)
		expect(status).toBe(201)
		expect(Object.keys(ok.data).toSorted()).toEqual(['id', 'playbackId', 'status'])
		expect(ok.data.status).toBe('created')
		const seen = (await get(ok.data.id)).ok.data
		expect(seen).toMatchObject({
			id: ok.data.id,
			playbackId: ok.data.playbackId,
			title: 'Lecture 1',
			description: null,
			collectionId: null,
			durationSec: 0,
			hasCustomThumbnail: false,
			thumbnailFrame: null,
			metadata: { course: 'Film' },
			publicSettings: { allowDownload: false, showTranscript: true, showComments: true },
			renditions: [],
			currentStep: null,
			job: null,
			highlights: [],
		})
		expect(seen).not.toHaveProperty('errorMessage')
		expect((await create('Other')).playbackId).not.toBe(ok.data.playbackId)
	})

	test('an asset created as signed or unlisted is never public', { tags: 'd1' }, async () => {
		for (const visibility of ['signed', 'unlisted', 'public'] as const) {
			const { id } = (await world.ask(createAsset, { body: { title: 'x', visibility } }, ada)).ok.data
			expect((await get(id)).ok.data.visibility).toBe(visibility)
		}
		expect((await get((await create('plain')).id)).ok.data.visibility).toBe('public')
	})

	test('no asset is created as signed where nothing can sign playback tokens', async () => {
		const input = { params: { orgId: ada.orgId }, body: { name: 'x' } }
		const { key } = (await world.ask(createApiKey, input, ada)).ok.data
		world.set({ AUTH_SECRET: undefined })
		const body = { title: 'x', visibility: 'signed' as const }
		expect((await world.ask(createAsset, { body }, { token: key })).code).toBe('not_configured')
	})

	test('an asset requires a title and accepts at most ten metadata entries', async () => {
		const entries = (count: number) =>
			Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
		const fine = { title: 'x', metadata: { ...entries(9), long: 'x'.repeat(255), '': undefined } }
		expect((await world.ask(createAsset, { body: fine as never }, ada)).status).toBe(201)
		for (const body of [
			{},
			{ title: '' },
			{ title: '   ' },
			{ title: 7 },
			{ title: 'x'.repeat(256) },
			{ title: 'x', metadata: entries(11) },
			{ title: 'x', metadata: { a: 'x'.repeat(256) } },
			{ title: 'x', metadata: { a: 1 } },
			{ title: 'x', metadata: ['a'] },
		])
			expect((await world.ask(createAsset, { body: body as never }, ada)).status).toBe(400)
	})

	test('an asset is created once per Idempotency-Key', async () => {
		const ask = () =>
			world.ask(createAsset, { body: { title: 'Once' } }, { ...ada, headers: { 'idempotency-key': 'k' } })
		expect((await ask()).ok.data.id).toBe((await ask()).ok.data.id)
		expect(await titles()).toEqual(['Once'])
	})

	test('an update of an asset changes only the given fields', async () => {
		const { id } = await create('Old')
		world.pass(1_000)
		const changed = (
			await change(id, {
				title: ' New ',
				description: 'About',
				publicSettings: { allowDownload: true },
				metadata: { a: 'b' },
			})
		).ok.data
		expect(changed).toMatchObject({
			title: 'New',
			description: 'About',
			metadata: { a: 'b' },
			publicSettings: { allowDownload: true, showChapters: true },
		})
		expect(changed.updatedAt > changed.createdAt).toBe(true)
		await change(id, { publicSettings: { showChapters: false } })
		await change(id, { metadata: {}, description: null })
		expect((await get(id)).ok.data).toMatchObject({
			title: 'New',
			description: null,
			metadata: {},
			publicSettings: { allowDownload: true, showChapters: false },
		})
		for (const body of [
			{},
			{ title: '' },
			{ description: 'x'.repeat(5_001) },
			{ publicSettings: { allowDownload: 'yes' } },
			{ collectionId: 'nonsense' },
			{ status: 'ready' },
		])
			expect((await change(id, body)).status, JSON.stringify(body)).toBe(400)
	})

	test('an update of an asset with read-only fields is rejected as a whole', async () => {
		const { id, playbackId } = await create('Mine')
		const forbidden = { title: 'Not mine', id: 'x', orgId: 'org_x', status: 'ready', playbackId: 'x' }
		expect((await change(id, forbidden)).status).toBe(400)
		expect((await get(id)).ok.data).toMatchObject({ id, playbackId, title: 'Mine', status: 'created' })
	})

	test('an asset records one created and one deleted event', async () => {
		const { id, playbackId } = await create('Short-lived')
		expect((await remove(id)).ok.data).toEqual({ id, deleted: true })
		expect((await remove(id)).status).toBe(404)
		const payload = { assetId: id, playbackId, title: 'Short-lived' }
		expect((await events()).map((e) => [e.type, JSON.parse(e.payload)])).toEqual([
			['asset.created', payload],
			['asset.deleted', payload],
		])
		expect(world.messages.map((m) => m.type).toSorted()).toEqual([
			'event.happened',
			...['storage.purge', 'storage.purge', 'storage.purge'],
		])
	})

	test('concurrent deletions of an asset succeed once', async () => {
		const { id } = await create('Contested')
		const answers = await Promise.all(Array.from({ length: 6 }, () => remove(id)))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404, 404])
		expect((await events()).filter(({ type }) => type === 'asset.deleted')).toHaveLength(1)
	})

	test('an asset returns 404 to another organization', { tags: 'd1' }, async () => {
		const { id } = await create('Mine')
		const bo = await world.person()
		for (const answer of [await get(id, bo), await change(id, { title: 'Yours' }, bo), await remove(id, bo)])
			expect([answer.status, answer.error]).toEqual([404, 'no such asset'])
		expect((await list({}, bo)).ok.data).toEqual([])
		expect((await get(id)).ok.data.title).toBe('Mine')
	})
})

describe('the stored objects of an asset', () => {
	const keys = async () => {
		const stored = await Promise.all([env.VAULT, env.MEDIA].map(storedObjects))
		return stored.flat().map(({ key }) => key)
	}

	test('the stored objects of an asset are deleted with it, even late ones, and no others', {
		tags: 'd1',
	}, async () => {
		const gone = await create('Gone')
		const kept = await create('Kept')
		const fill = async ({ id, playbackId }: typeof gone) => {
			await env.VAULT.put(`sources/${id}/source`, 'video')
			await env.VAULT.put(`${downloadPrefix(id)}best.mp4`, 'video')
			for (let i = 0; i < 3; i++) await env.MEDIA.put(`media/${playbackId}/part-${i}`, 'part')
		}
		await fill(gone)
		await fill(kept)
		world.messages.length = 0
		await remove(gone.id)
		await world.deliver()
		expect(await keys()).toHaveLength(5)
		await fill(gone)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await keys()).toHaveLength(10)
		world.pass(24 * 3_600_000 + 1)
		await world.cron('* * * * *')
		await world.deliver()
		expect((await keys()).filter((key) => key.includes(gone.id) || key.includes(gone.playbackId))).toEqual([])
		expect(await keys()).toHaveLength(5)
		expect(await world.deps((d) => d.db.all('select * from storage_purges'))).toEqual([])
	})
})

describe('the list of assets', () => {
	test('the list of assets is sorted newest first, in pages without gaps or duplicates', {
		tags: 'd1',
	}, async () => {
		for (let i = 0; i < 7; i++) await create(`Video ${i}`)
		const seen: string[] = []
		let cursor: string | null = null
		do {
			const page: Awaited<ReturnType<typeof list>> = await list({ limit: '3', ...(cursor && { cursor }) })
			seen.push(...page.ok.data.map(({ title }) => title))
			cursor = page.headers.get('x-next-cursor')
		} while (cursor)
		expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `Video ${i}`))
		expect((await list({ cursor: 'nonsense' })).status).toBe(400)
	})

	test('the list of assets includes the thumbnail of each asset', { tags: 'd1' }, async () => {
		await create('Video')
		const [asset] = (await list()).ok.data
		expect(asset).toMatchObject({ hasCustomThumbnail: false })
		expect(asset?.thumbnailUrl).toBe(`https://edge.test/v1/playback/${asset?.playbackId}/thumbnail`)
		const picture = await world.ask(getThumbnail, { params: { playbackId: asset?.playbackId ?? '' } })
		expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
		const unknown = await world.ask(getThumbnail, { params: { playbackId: 'x'.repeat(22) } })
		expect(unknown.status).toBe(404)
	})

	test('the list of assets filters by collection, or by having none', async () => {
		const [one, two, three] = [await create('One'), await create('Two'), await create('Three')]
		const films = await collect('Films')
		await change(one.id, { collectionId: films })
		expect((await change(two.id, { collectionId: films })).ok.data.collectionId).toBe(films)
		expect(await titles({ collectionId: films })).toEqual(['Two', 'One'])
		expect(await titles({ collectionId: 'none' })).toEqual(['Three'])
		expect(await titles({ collectionId: 'col_00000000000000000000000000' })).toEqual([])
		expect((await list({ collectionId: 'all' })).status).toBe(400)
		const count = async () =>
			(await world.ask(listCollections, { query: {} }, ada)).ok.data.map((c) => c.videoCount)
		expect(await count()).toEqual([2])
		await change(two.id, { collectionId: null })
		expect(await count()).toEqual([1])
		await remove(one.id)
		expect(await count()).toEqual([0])
		await change(three.id, { collectionId: films })
		await world.ask(deleteCollection, { params: { collectionId: films } }, ada)
		expect((await get(three.id)).ok.data.collectionId).toBeNull()
		expect(await titles({ collectionId: 'none' })).toEqual(['Three', 'Two'])
	})

	test('the list of assets rejects a collection of another organization', { tags: 'd1' }, async () => {
		const { id } = await create('Mine')
		const bo = await world.person()
		const theirs = await collect('Theirs', bo)
		const answer = await change(id, { collectionId: theirs, title: 'Changed' })
		expect([answer.status, answer.error]).toEqual([404, 'no such collection'])
		expect((await get(id)).ok.data).toMatchObject({ title: 'Mine', collectionId: null })
		expect((await world.ask(listCollections, { query: {} }, bo)).ok.data).toMatchObject([{ videoCount: 0 }])
	})
})
