import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { getOrgUsage } from '#schema/contract/accounts/orgs.ts'
import { setSubtitles } from '#schema/contract/ai/subtitles/subtitles.ts'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import * as contract from '#schema/contract/video/assets.ts'
import { changeAssets } from '#schema/contract/video/bulk.ts'
import * as collections from '#schema/contract/video/collections.ts'
import { downloadVideo } from '#schema/contract/video/downloads.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { uploadSource } from '#schema/contract/video/uploads.ts'
import { getOEmbed } from '#schema/contract/watch/oembed.ts'
import { getPlayback, getThumbnail } from '#schema/contract/watch/playback.ts'
import { crons } from '../../../../../edge/http/feature.ts'
import { DAY, HOUR, MINUTE } from '../../../../../edge/platform/clock.ts'
import { storedObjects } from '../../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'
import { insert, select } from '../../../community/community.ts'
import { makeReady } from '../../../watch/playback/ready-asset.ts'
import { openStudio } from '../../transcoding/transcoding-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const add = async (title = 'Film') =>
	(await world.ask(contract.createAsset, { body: { title } }, ada)).ok.data.id
const trash = (assetId: string, who: Who = ada) =>
	world.ask(contract.deleteAsset, { params: { assetId }, query: { trash: 'true' } }, who)
const restore = (assetId: string, who: Who = ada) =>
	world.ask(contract.restoreAsset, { params: { assetId } }, who)
/** Unlike a session, an API key is valid for longer than the trash keeps an asset. */
const createKey = async () => {
	const asked = { params: { orgId: ada.orgId }, body: { name: 'Key' } }
	return { key: (await world.ask(createApiKey, asked, ada)).ok.data.key }
}
const remove = (assetId: string) => world.ask(contract.deleteAsset, { params: { assetId } }, ada)
const get = (assetId: string) => world.ask(contract.getAsset, { params: { assetId } }, ada)
const list = async (query = {}) => (await world.ask(contract.listAssets, { query }, ada)).ok.data
const listTrash = () => list({ trashed: 'true' })
const search = async (q: string) =>
	(await world.ask(contract.searchAssets, { query: { q } }, ada)).ok.data.items.map(({ id }) => id)
const events = async () =>
	(
		await select<{ type: string }>(world, "select type from outbox where type like 'asset.%' order by rowid")
	).map(({ type }) => type)
const rowsOf = async (assetId: string) => {
	const count = (table: string) => select(world, `select 1 from ${table} where id = '${assetId}'`)
	return [(await count('assets')).length, (await count('trashed_assets')).length]
}
const emptyTrash = () => world.cron(crons.eachTenMinutes)

test('an asset in the trash is missing from lists, searches and counts, and has no playback or thumbnail', async () => {
	const { id, playbackId } = await makeReady(world, ada)
	const watched = { params: { playbackId }, query: {} }
	expect((await world.ask(getPlayback, watched)).status).toBe(200)
	const { deleteAt } = (await trash(id)).ok.data
	for (const operation of [getPlayback, getThumbnail, downloadVideo])
		expect((await world.ask(operation, watched)).status).toBe(404)
	const url = `https://edge.test/watch/${playbackId}`
	expect((await world.ask(getOEmbed, { query: { url } })).status).toBe(404)
	expect([await list(), await search('film'), await search('')]).toEqual([[], [], []])
	const counts = (await world.ask(contract.countAssets, { query: {} }, ada)).ok.data
	expect(counts.ready.count).toBe(0)
	expect((await get(id)).status).toBe(404)
	const patch = { params: { assetId: id }, body: { title: 'New' } }
	expect((await world.ask(contract.updateAsset, patch, ada)).status).toBe(404)
	const [trashed] = await listTrash()
	const noLinks = { thumbnailUrl: null, thumbnailSmallUrl: null, watchUrl: null, embedUrl: null }
	expect(trashed).toMatchObject({ id, status: 'ready', deleteAt, ...noLinks })
	expect(Date.parse(deleteAt ?? '') - Date.parse(trashed?.trashedAt ?? '')).toBe(30 * DAY)
})

test('an asset restored from the trash keeps all its fields, and plays', async () => {
	const { id, playbackId } = await makeReady(world, ada)
	const transcript = { language: 'en', segments: [{ start: 0, end: 1, text: 'lighthouse' }] }
	await world.ask(replaceTranscript, { params: { assetId: id }, body: { transcript } }, ada)
	const before = (await get(id)).ok.data
	await trash(id)
	expect(await search('lighthouse')).toEqual([])
	expect((await restore(id)).ok.data).toEqual({ ...before, updatedAt: expect.any(String) })
	expect((await world.ask(getPlayback, { params: { playbackId }, query: {} })).status).toBe(200)
	expect([await search('lighthouse'), await search('film')]).toEqual([[id], [id]])
	expect(await listTrash()).toEqual([])
	expect((await events()).slice(-2)).toEqual(['asset.trashed', 'asset.restored'])
})

test('a summary of an asset in the trash lists the languages of its captions, uploaded ones too', async () => {
	const { id } = await makeReady(world, ada)
	const params = { assetId: id }
	const transcript = { language: 'en', segments: [{ start: 0, end: 1, text: 'lighthouse' }] }
	await world.ask(replaceTranscript, { params, body: { transcript } }, ada)
	const bytes = 'WEBVTT\n\n00:00.000 --> 00:01.000\nLeuchtturm\n'
	await world.ask(setSubtitles, { params: { ...params, lang: 'de' } }, { ...ada, bytes })
	await trash(id)
	expect(await listTrash()).toMatchObject([{ id, captions: ['de', 'en'], progress: null }])
})

test('a search finds parts of words in other assets, even if an asset in the trash contains the whole word', async () => {
	const trashed = await add('Light')
	const other = await add('Moonlight')
	expect(await search('light')).toEqual([trashed])
	await trash(trashed)
	expect(await search('light')).toEqual([other])
})

test('a restored asset is in no collection if its collection was deleted meanwhile', async () => {
	const body = { name: 'Films', color: 'red' as const }
	const collection = (await world.ask(collections.createCollection, { body }, ada)).ok.data.id
	const id = await add()
	const params = { assetId: id }
	await world.ask(contract.updateAsset, { params, body: { collectionId: collection } }, ada)
	await trash(id)
	await world.ask(collections.deleteCollection, { params: { collectionId: collection } }, ada)
	expect((await restore(id)).ok.data.collectionId).toBeNull()
})

test('a repeated move to the trash keeps the time of deletion, and a repeated restore changes nothing', async () => {
	const id = await add()
	const first = (await trash(id)).ok.data
	world.pass(DAY)
	expect((await trash(id)).ok.data).toEqual(first)
	await restore(id)
	expect((await restore(id)).status).toBe(200)
	expect(await events()).toEqual(['asset.created', 'asset.trashed', 'asset.restored'])
})

test('nobody can trash, restore or list assets of another organization', async () => {
	const eve = await world.person()
	const id = await add()
	expect((await trash(id, eve)).status).toBe(404)
	await trash(id)
	expect((await restore(id, eve)).status).toBe(404)
	expect((await world.ask(contract.deleteAsset, { params: { assetId: id } }, eve)).status).toBe(404)
	expect((await world.ask(contract.listAssets, { query: { trashed: 'true' } }, eve)).ok.data).toEqual([])
	expect(await rowsOf(id)).toEqual([0, 1])
})

test('an asset can’t be moved to the trash until its processing has ended', async () => {
	const studio = openStudio(world, ada)
	const { assetId } = await studio.upload()
	await world.ask(processAsset, { params: { assetId } }, ada)
	expect(await trash(assetId)).toMatchObject({ status: 409, code: 'conflict' })
	expect(await rowsOf(assetId)).toEqual([1, 0])
	await world.deps(({ db }) => db.all("update jobs set status = 'failed' returning 1"))
	expect((await trash(assetId)).status).toBe(200)
})

test('an asset cannot be moved to the trash while its subtitles are being translated, even if no job runs', async () => {
	const { id } = await makeReady(world, ada)
	const of = { asset_id: id, org_id: ada.orgId, version: 1, updated_at: 0 }
	const translation = { ...of, language: 'de', source_language: 'en', source_key: 'key' }
	await insert(world, 'subtitle_translations', { ...translation, status: 'pending', due_at: 0 })
	expect(await trash(id)).toMatchObject({ status: 409, code: 'conflict' })
	await world.deps(({ db }) => db.all('update subtitle_translations set due_at = null returning 1'))
	expect((await trash(id)).status).toBe(200)
})

test('a move to the trash and a concurrent start of processing never both succeed', async () => {
	const { assetId } = await openStudio(world, ada).upload()
	const [moved, started] = await Promise.all([
		trash(assetId),
		world.ask(processAsset, { params: { assetId } }, ada),
	])
	expect([moved.status < 300, started.status < 300].filter(Boolean)).toHaveLength(1)
})

test('an asset in the trash is deleted with its objects and rows after 30 days, but not an hour earlier', async () => {
	const id = await add()
	await world.ask(uploadSource, { params: { assetId: id } }, { ...ada, bytes: 'film' })
	await trash(id)
	const key = await createKey()
	world.pass(30 * DAY - HOUR)
	await emptyTrash()
	expect(await rowsOf(id)).toEqual([0, 1])
	world.pass(HOUR)
	await emptyTrash()
	expect(await rowsOf(id)).toEqual([0, 0])
	expect(await select(world, `select 1 from asset_terms where asset_id = '${id}'`)).toEqual([])
	expect((await events()).at(-1)).toBe('asset.deleted')
	await world.deliver()
	expect((await storedObjects(env.VAULT)).filter(({ key }) => key.startsWith('sources/'))).toEqual([])
	expect((await restore(id, key)).status).toBe(404)
})

test('concurrent restores and sweeps either restore or delete an asset, never both', async () => {
	const ids = [await add('One'), await add('Two'), await add('Three')]
	for (const id of ids) await trash(id)
	const key = await createKey()
	world.pass(30 * DAY)
	const restored = await Promise.all([...ids.map((id) => restore(id, key)), emptyTrash(), emptyTrash()])
	for (const [at, id] of ids.entries()) {
		const { status } = restored[at] as { status: number }
		expect([200, 404]).toContain(status)
		const isRestored = status === 200
		expect(await rowsOf(id)).toEqual([isRestored ? 1 : 0, 0])
		const terms = await select(world, `select 1 from asset_search where asset_id = '${id}'`)
		expect(terms).toHaveLength(isRestored ? 1 : 0)
	}
})

test('an asset whose deletion was interrupted can’t be restored, and the next sweep deletes the asset', async () => {
	const id = await add()
	await trash(id)
	await world.deps(({ db, now }) =>
		db.all(`update trashed_assets set deleting_at = ${now}, delete_at = ${now} returning 1`),
	)
	expect([(await restore(id)).status, await listTrash()]).toEqual([404, []])
	await emptyTrash()
	expect(await rowsOf(id)).toEqual([0, 0])
})

test('40 assets whose deletion always fails do not keep the trash from deleting another one', async () => {
	const broken = await add('Broken')
	const good = await add('Good')
	await trash(broken)
	world.pass(1_000)
	await trash(good)
	const [row] = await select<Record<string, unknown>>(
		world,
		`select * from trashed_assets where id = '${broken}'`,
	)
	const copied = Object.keys(row ?? {}).map((name) =>
		name === 'id' || name === 'playback_id' ? `${name} || i` : name,
	)
	await select(
		world,
		`insert into trashed_assets with recursive n(i) as (select 1 union all select i + 1 from n where i < 39)
		select ${copied.join()} from trashed_assets, n where id = '${broken}' returning 1`,
	)
	await select(
		world,
		`create trigger broken before delete on trashed_assets when old.title = 'Broken'
		begin select raise(abort, 'broken'); end`,
	)
	world.pass(30 * DAY)
	await emptyTrash()
	expect(await rowsOf(good)).toEqual([0, 1])
	world.pass(10 * MINUTE)
	await emptyTrash()
	expect([await rowsOf(good), await rowsOf(broken)]).toEqual([
		[0, 0],
		[0, 1],
	])
	await select(world, 'drop trigger broken')
	for (const wait of [20, 10]) {
		world.pass(wait * MINUTE)
		await emptyTrash()
	}
	expect(await select(world, 'select id from trashed_assets')).toEqual([])
})

test('concurrent moves of an asset to the trash record one event, and a permanent deletion always wins', async () => {
	const id = await add()
	expect((await Promise.all([trash(id), trash(id), trash(id)])).map(({ status }) => status)).toEqual([
		200, 200, 200,
	])
	expect(await events()).toEqual(['asset.created', 'asset.trashed'])
	const another = await add()
	const [, deleted] = await Promise.all([trash(another), remove(another), trash(another)])
	expect(deleted.status).toBe(200)
	expect(await rowsOf(another)).toEqual([0, 0])
	expect((await remove(id)).ok.data).toEqual({ id, deleted: true })
	expect(await rowsOf(id)).toEqual([0, 0])
})

test('the trash counts as storage until its assets are deleted', async () => {
	const { id } = await makeReady(world, ada, 'Film', { mediaBytes: 1_000 })
	const usage = async () =>
		(await world.ask(getOrgUsage, { params: { orgId: ada.orgId } }, ada)).ok.data.used.storageBytes
	await trash(id)
	expect(await usage()).toBe(1_000)
	await remove(id)
	expect(await usage()).toBe(0)
})

test('bulk changes can select assets to trash by a filter, but assets to restore only by ids', async () => {
	const ids = [await add('Film 1'), await add('Film 2')]
	const change = (body: Parameters<typeof world.ask<typeof changeAssets>>[1]['body']) =>
		world.ask(changeAssets, { body }, ada)
	const moved = (await change({ filter: { q: 'film' }, action: { type: 'trash' } })).ok.data
	expect(moved.results.map(({ result }) => result)).toEqual(['done', 'done'])
	expect((await listTrash()).map(({ id }) => id)).toEqual(ids.toReversed())
	expect((await change({ filter: { q: 'film' }, action: { type: 'restore' } })).status).toBe(400)
	const restored = (await change({ assetIds: ids, action: { type: 'restore' } })).ok.data
	expect(restored.results.map(({ result }) => result)).toEqual(['done', 'done'])
	expect((await list()).map(({ id }) => id)).toEqual(ids.toReversed())
})

test('the trash is listed in pages, most recently trashed first, and rejects the filters and sorts of the library', async () => {
	const ids: string[] = []
	for (const title of ['One', 'Two', 'Three']) {
		const id = await add(title)
		world.pass(1_000)
		await trash(id)
		ids.unshift(id)
	}
	const page = async (query: object) =>
		world.ask(contract.listAssets, { query: { trashed: 'true', ...query } }, ada)
	const first = await page({ limit: '2' })
	const cursor = first.headers.get('x-next-cursor') ?? ''
	const second = await page({ limit: '2', cursor })
	expect([...first.ok.data, ...second.ok.data].map(({ id }) => id)).toEqual(ids)
	expect(second.headers.get('x-next-cursor')).toBeNull()
	for (const more of [{ q: 'one' }, { sort: 'title' }, { status: 'ready' }, { collectionId: 'none' }])
		expect((await page(more)).status).toBe(400)
	const lists = first.statements.filter((statement) => statement.includes('trashed_assets'))
	expect(lists).toHaveLength(1)
	expect((await world.plan(lists[0] ?? '')).join()).toContain('trashed_assets_org')
})
