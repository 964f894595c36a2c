import { beforeEach, describe, expect, test } from 'vitest'
import { suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import { tiers } from '#schema/contract/accounts/tiers.ts'
import type { CallInput } from '#schema/contract/kit/client.ts'
import { deleteAsset, getAsset, listAssets, standardPublicSettings } from '#schema/contract/video/assets.ts'
import { createCollection, deleteCollection } from '#schema/contract/video/collections.ts'
import * as contract from '#schema/contract/video/direct-uploads.ts'
import { findUpload } from '../../../../edge/video/uploads/tus/upload-stub.ts'
import { openWorld, type Person, type Who, type World } from '../../../support/edge/world.ts'
import { select } from '../../community/community.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'
import { storedKeys } from '../uploads/tus/tus-fixture.ts'

const HOUR = 3_600_000
const ORIGIN = 'https://studio.example.org'
const film = 'the whole film'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

type Body = CallInput<typeof contract.createDirectUpload>['body']
const create = async (body: Partial<Body> = {}, who: Who = ada) => {
	const newAsset = { title: 'Film', visibility: 'unlisted' as const, metadata: { from: 'form' } }
	const asked = { body: { newAsset, corsOrigin: ORIGIN, ...body } }
	return (await world.ask(contract.createDirectUpload, asked, who)).ok.data
}
type Upload = Awaited<ReturnType<typeof create>>
const tokenIn = ({ url }: Upload) => String(url.split('/').at(-1))
/** Sends as a page of the allowed origin does, unless told otherwise. */
const put = (upload: Upload, text: string, headers: Record<string, string> = {}) =>
	world.ask(
		contract.uploadDirectly,
		{ params: { uploadToken: tokenIn(upload) } },
		{
			bytes: text,
			headers: {
				origin: ORIGIN,
				'content-type': 'video/mp4',
				'content-length': String(text.length),
				...headers,
			},
		},
	)
const chunk = (upload: Upload, start: number, end: number) =>
	put(upload, film.slice(start, end), { 'content-range': `bytes ${start}-${end - 1}/${film.length}` })
const get = async ({ id }: Upload) =>
	(await world.ask(contract.getDirectUpload, { params: { uploadId: id } }, ada)).ok.data
const cancel = ({ id }: Upload, who: Who = ada) =>
	world.ask(contract.cancelDirectUpload, { params: { uploadId: id } }, who)
const assets = async () => (await world.ask(listAssets, { query: {} }, ada)).ok.data
/** Returns how many bytes of the file are stored. */
const countStored = async ({ id }: Upload) => {
	const [row] = await select<{ asset_id: string }>(
		world,
		`select asset_id from direct_uploads where id = '${id}'`,
	)
	return world.deps(async ({ env, now }) => {
		const record = await findUpload(env, row?.asset_id ?? '')?.inspect('direct', now)
		return record?.offset ?? 0
	})
}
/** Makes the assets of the organization take this many bytes. */
const fill = (bytes: number) =>
	select(world, `update assets set source_size_bytes = 0, media_bytes = ${bytes} returning 1`)
const countOf = async (sql: string) => (await select(world, sql)).length

describe('a direct upload', () => {
	test('the file of a direct upload becomes an asset with the wanted fields, and an event names both', async () => {
		const upload = await create()
		expect(upload).toMatchObject({ status: 'waiting', assetId: null, corsOrigin: ORIGIN, endedAt: null })
		expect(await assets()).toEqual([])
		expect((await put(upload, film)).ok.data).toEqual({ id: upload.id, status: 'asset_created' })
		const { status, assetId } = await get(upload)
		expect(status).toBe('asset_created')
		const asset = (await world.ask(getAsset, { params: { assetId: assetId ?? '' } }, ada)).ok.data
		expect(asset).toMatchObject({
			...{ status: 'uploaded', title: 'Film', visibility: 'unlisted', metadata: { from: 'form' } },
			sourceSizeBytes: film.length,
		})
		expect((await world.ask(listAssets, { query: { q: 'film' } }, ada)).ok.data).toHaveLength(1)
		const events = await select<{ type: string; payload: string; resource: string }>(
			world,
			"select type, payload, resource from outbox where type = 'upload.asset_created'",
		)
		expect(events.map(({ resource, payload }) => [resource, JSON.parse(payload)])).toEqual([
			[`upload:${upload.id}`, { uploadId: upload.id, assetId, playbackId: asset.playbackId }],
		])
	})

	test('the asset of a direct upload has the requested fields, except a collection that was deleted meanwhile', async () => {
		const collect = async (who = ada) =>
			(await world.ask(createCollection, { body: { name: 'Films', color: 'blue' } }, who)).ok.data.id
		const theirs = await collect(await world.person())
		const refused = await world.ask(
			contract.createDirectUpload,
			{ body: { newAsset: { title: 'Film', collectionId: theirs } } },
			ada,
		)
		expect([refused.status, refused.error]).toEqual([404, 'no such collection'])
		expect(await countOf('select 1 from direct_uploads')).toBe(0)
		const uploaded = async (collectionId: string, isGone: boolean) => {
			const newAsset = { title: 'Film', description: 'About the harbour', collectionId }
			const upload = await create({ newAsset: { ...newAsset, publicSettings: { allowDownload: true } } })
			expect(upload.newAsset).toMatchObject({ ...newAsset, metadata: {}, visibility: 'public' })
			if (isGone) await world.ask(deleteCollection, { params: { collectionId } }, ada)
			expect((await put(upload, film)).status).toBe(200)
			const { assetId } = await get(upload)
			return (await world.ask(getAsset, { params: { assetId: assetId ?? '' } }, ada)).ok.data
		}
		const films = await collect()
		const settings = { ...standardPublicSettings, allowDownload: true }
		const kept = { description: 'About the harbour', collectionId: films, publicSettings: settings }
		expect(await uploaded(films, false)).toMatchObject(kept)
		expect(await uploaded(films, true)).toMatchObject({ ...kept, collectionId: null })
		expect((await world.ask(listAssets, { query: { q: 'harbour' } }, ada)).ok.data).toHaveLength(2)
	})

	test('a direct upload takes chunks, and creates the asset with the last one only', async () => {
		const upload = await create()
		const first = await chunk(upload, 0, 5)
		expect([first.status, first.headers.get('range')]).toEqual([308, 'bytes=0-4'])
		expect(await assets()).toEqual([])
		const asked = await put(upload, '', { 'content-range': `bytes */${film.length}` })
		expect(asked.headers.get('range')).toBe('bytes=0-4')
		expect((await chunk(upload, 5, film.length)).status).toBe(200)
		expect((await assets())[0]).toMatchObject({ status: 'uploaded', sourceSizeBytes: film.length })
		expect((await chunk(upload, 5, film.length)).status).toBe(200)
		expect(await assets()).toHaveLength(1)
	})

	test('concurrent last requests of a direct upload create one asset with one event', async () => {
		const upload = await create()
		await chunk(upload, 0, 5)
		const all = await Promise.all([1, 2, 3].map(() => chunk(upload, 5, film.length)))
		expect(all.some(({ status }) => status === 200)).toBe(true)
		for (const { status } of all) expect([200, 409, 423, 308, 503]).toContain(status)
		expect(await assets()).toHaveLength(1)
		expect(await countOf("select 1 from outbox where type = 'upload.asset_created'")).toBe(1)
		expect(await countOf("select 1 from outbox where type = 'asset.uploaded'")).toBe(1)
	})

	test('a direct upload creates its asset once, although the Worker dies after any statement', async () => {
		for (let step = 1; ; step++) {
			const upload = await create()
			let left = step
			const dies = () => {
				if (left-- === 0) throw new Error('died')
			}
			const { status } = await world.dieDuring(dies, () => put(upload, film))
			if (left >= 0 && status === 200) break
			expect((await put(upload, film)).status, `step ${step}`).toBe(200)
			const { assetId } = await get(upload)
			const ofUpload = `payload like '%${upload.id}%'`
			expect(await countOf(`select 1 from outbox where type = 'upload.asset_created' and ${ofUpload}`)).toBe(
				1,
			)
			expect(await countOf(`select 1 from assets where id = '${assetId}' and status = 'uploaded'`)).toBe(1)
		}
	})

	test('the file of a complete direct upload is never swept, even if its title and description contain no words', async () => {
		for (const title of ['Film', '🎬']) {
			const upload = await create({ newAsset: { title, visibility: 'unlisted' } as Body['newAsset'] })
			expect((await put(upload, film)).status).toBe(200)
			const { assetId } = await get(upload)
			expect(
				await countOf(
					`select 1 from storage_purges where prefix = (select source_key from assets where id = '${assetId}')`,
				),
				title,
			).toBe(0)
		}
	})

	test('the sweep finishes a direct upload whose last request was interrupted and never retried', async () => {
		let finished = 0
		for (let step = 2; ; step++) {
			const upload = await create({ expiresInSec: 600 })
			let left = step
			const dies = () => {
				if (left-- === 0) throw new Error('died')
			}
			const { status } = await world.dieDuring(dies, () => put(upload, film))
			if (left >= 0 && status === 200) break
			const { status: beforeSweep } = await get(upload)
			world.pass(601_000)
			await world.cron('*/10 * * * *')
			const { status: end, assetId } = await get(upload)
			// Without the announcement of the last byte, no row records that the file is complete.
			if (end === 'timed_out') continue
			expect(end, `step ${step}`).toBe('asset_created')
			if (beforeSweep === 'waiting') finished++
			expect(await countOf(`select 1 from assets where id = '${assetId}' and status = 'uploaded'`)).toBe(1)
		}
		expect(finished).toBeGreaterThan(0)
		const before = await assets()
		await world.cron('*/10 * * * *')
		expect(await assets()).toEqual(before)
		expect(await countOf('select 1 from direct_uploads where finish_at is not null')).toBe(0)
	})

	test('the sweep finishes a direct upload of a suspended organization after the suspension is lifted', async () => {
		const upload = await create({ expiresInSec: 7_200 })
		const dies = (sql: string) => {
			if (sql.includes("'asset_created'") || sql.startsWith('insert into "assets"')) throw new Error('died')
		}
		await world.dieDuring(dies, () => put(upload, film))
		const change = async (
			operation: typeof suspendOrg | typeof unsuspendOrg,
			reason: 'abuse' | 'billing',
		) => {
			const asked = { params: { orgId: ada.orgId }, body: { reason } }
			// Suspensions need a recent sign-in.
			expect((await world.ask(operation, asked, { token: await world.logIn(ada) })).status).toBe(200)
		}
		const sweep = async () => {
			await world.cron('*/10 * * * *')
			const [row] = await select<{ status: string }>(world, 'select status from direct_uploads')
			return row?.status
		}
		await change(suspendOrg, 'abuse')
		world.pass(601_000)
		expect(await sweep()).toBe('waiting')
		await change(suspendOrg, 'billing')
		await change(unsuspendOrg, 'abuse')
		expect(await sweep(), 'an unpaid bill lets uploads that have begun end').toBe('asset_created')
	})

	test('the sweep does not finish a direct upload whose browser has started another file', async () => {
		const upload = await create({ expiresInSec: 3_600 })
		await chunk(upload, 0, 5)
		await select(world, `update direct_uploads set finish_at = ${world.now} returning 1`)
		await world.cron('*/10 * * * *')
		expect((await get(upload)).status).toBe('waiting')
		expect((await chunk(upload, 5, film.length)).status).toBe(200)
	})

	test('a direct upload times out if the bytes of its complete file expire', async () => {
		const upload = await create()
		await select(world, `update direct_uploads set finish_at = ${world.now} returning 1`)
		await world.cron('*/10 * * * *')
		expect((await get(upload)).status).toBe('timed_out')
	})
})

describe('the limits of a direct upload', () => {
	test('a direct upload refuses a larger file before it stores a byte, and a body that is longer than it says', async () => {
		const upload = await create({ maxBytes: 10 })
		expect((await put(upload, film)).code).toBe('too_large')
		expect((await put(upload, film.slice(0, 5), { 'content-range': 'bytes 0-4/11' })).code).toBe('too_large')
		expect((await put(upload, film, { 'content-range': 'bytes 0-4/9' })).code).toBe('malformed')
		expect((await put(upload, film.slice(0, 9), { 'content-range': 'bytes */9' })).status).toBe(400)
		const asked = await put(upload, '', { 'content-range': 'bytes */*' })
		expect([asked.status, asked.headers.get('range')]).toEqual([308, null])
		expect((await get(upload)).status).toBe('waiting')
		expect((await put(upload, film.slice(0, 10))).status).toBe(200)
	})

	test('the announced files of waiting direct uploads count against the storage limit until the uploads end', async () => {
		world = await openWorld({ DEFAULT_TIER: 'free' })
		ada = await world.person()
		await makeReady(world, ada, 'Large')
		await fill(Number(tiers.free.storageBytes) - 2 * film.length)
		const uploads = [await create(), await create(), await create()]
		const answers = await Promise.all(uploads.map((upload) => chunk(upload, 0, 5)))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([308, 308, 403])
		const refused = answers.findIndex(({ status }) => status === 403)
		const [first, second] = uploads.toSpliced(refused, 1) as [Upload, Upload]
		const third = uploads[refused] as Upload
		expect(answers[refused]?.code).toBe('plan_limit')
		expect([(await get(third)).status, await countStored(third)]).toEqual(['waiting', 0])
		const newAsset = { title: 'Another' }
		expect((await world.ask(contract.createDirectUpload, { body: { newAsset } }, ada)).code).toBe(
			'plan_limit',
		)
		await cancel(first)
		expect((await chunk(third, 0, 5)).status).toBe(308)
		const last = await chunk(second, 5, film.length)
		expect(last.status).toBe(200)
		expect((await chunk(third, 5, film.length)).status).toBe(200)
		expect((await chunk(third, 5, film.length)).status).toBe(200)
	})

	test('a chunk of an announced file sends no statement about storage, and the sum reads an index alone', async () => {
		const upload = await create()
		const announce = (await chunk(upload, 0, 5)).statements.find((text) => text.startsWith('update')) ?? ''
		expect(await world.plan(announce)).toContainEqual(
			expect.stringContaining('COVERING INDEX direct_uploads_announced'),
		)
		const { statements } = await chunk(upload, 5, 8)
		expect(statements.filter((text) => text.startsWith('update') || text.includes('sum('))).toEqual([])
	})

	test('concurrent direct uploads stay within the storage of the tier, and the excess uploads fail', async () => {
		world = await openWorld({ DEFAULT_TIER: 'free' })
		ada = await world.person()
		const most = Number(tiers.free.storageBytes)
		const { id } = await makeReady(world, ada, 'Large')
		const before = await storedKeys()
		const uploads = [await create(), await create(), await create()]
		for (const upload of uploads) await chunk(upload, 0, 5)
		await fill(most - film.length)
		const answers = await Promise.all(uploads.map((upload) => chunk(upload, 5, film.length)))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403])
		const ended = await Promise.all(uploads.map(get))
		const errored = ended.filter(({ status }) => status === 'errored')
		expect(errored).toMatchObject(
			Array(2).fill({
				assetId: null,
				error: { code: 'plan_limit', message: expect.stringContaining('storage') },
			}),
		)
		expect(errored[0]?.endedAt).not.toBeNull()
		expect((await assets()).filter((asset) => asset.id !== id)).toHaveLength(1)
		const stored = await Promise.all(uploads.map(countStored))
		expect(stored.filter((bytes) => bytes > 0)).toHaveLength(1)
		expect(await storedKeys()).toHaveLength(before.length + 1)
	})

	test('an organization has at most 1,000 waiting direct uploads, even if concurrent calls create them', async () => {
		const first = await create({ expiresInSec: 600 })
		await select(
			world,
			`insert into direct_uploads (id, org_id, token_hash, status, asset_id, max_bytes, content_types, new_asset,
				created_at, expires_at)
			with recursive n(i) as (select 1 union all select i + 1 from n where i < 998)
			select id || i, org_id, token_hash || i, status, asset_id || i, max_bytes, content_types, new_asset, created_at,
				expires_at from direct_uploads, n returning 1`,
		)
		const ask = (who: Who = ada) =>
			world.ask(contract.createDirectUpload, { body: { newAsset: { title: 'Film' } } }, who)
		const answers = await Promise.all([ask(), ask(), ask()])
		expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
		expect((await ask()).error).toContain('cancel some')
		expect((await ask(await world.person())).status).toBe(201)
		await cancel(first)
		const { status, statements } = await ask()
		expect(status).toBe(201)
		const plan = await world.plan(statements.at(-1) ?? '')
		expect(plan).toContainEqual(expect.stringContaining('COVERING INDEX direct_uploads_waiting_of_org'))
		expect((await ask()).code).toBe('conflict')
		world.pass(601_000)
		expect((await ask()).status).toBe(201)
	})

	test('a direct upload refuses other media types than it allows', async () => {
		const upload = await create({ contentTypes: ['video/*', 'audio/mpeg'] })
		for (const type of ['text/html', 'audio/wav', 'videos/mp4', 'xvideo/mp4'])
			expect((await put(upload, film, { 'content-type': type })).code, type).toBe('unsupported_media_type')
		expect((await put(upload, film, { 'content-type': 'Video/MP4; codecs=avc1' })).status).toBe(200)
	})

	test('a direct upload serves pages of its origin alone', async () => {
		const upload = await create()
		const preflight = async (origin: string, of: Upload) => {
			const headers = { origin, 'access-control-request-method': 'PUT' }
			const response = await world.fetch(new Request(of.url, { method: 'OPTIONS', headers }))
			return response.headers.get('access-control-allow-origin')
		}
		expect(await preflight(ORIGIN, upload)).toBe(ORIGIN)
		const without = await world.ask(
			contract.createDirectUpload,
			{ body: { newAsset: { title: 'Film' } } },
			ada,
		)
		for (const origin of ['https://evil.example.org', 'null', 'http://localhost:3000']) {
			expect(await preflight(origin, upload)).toBeNull()
			expect(await preflight(origin, without.ok.data)).toBeNull()
			const refused = await put(upload, film, { origin })
			expect([refused.code, refused.headers.get('access-control-allow-origin')]).toEqual(['forbidden', null])
		}
		const accepted = await put(upload, film)
		expect(accepted.headers.get('access-control-allow-origin')).toBe(ORIGIN)
		expect(accepted.headers.get('access-control-expose-headers')).toContain('Range')
	})

	test('the URL of a direct upload reads nothing, and its token is stored as a hash', async () => {
		const upload = await create()
		await chunk(upload, 0, 5)
		for (const method of ['GET', 'HEAD', 'POST', 'DELETE'])
			expect((await world.fetch(new Request(upload.url, { method }))).status, method).toBe(405)
		const unknown = await put({ ...upload, url: `/upload/direct/${'0'.repeat(43)}` }, film)
		expect(unknown.code).toBe('not_found')
		expect(JSON.stringify(await world.dump())).not.toContain(tokenIn(upload))
	})

	test('a direct upload rejects origins with a path, odd media types and long lives', async () => {
		const newAsset = { title: 'Film' }
		for (const body of [
			{ newAsset, corsOrigin: 'https://studio.example.org/path' },
			{ newAsset, corsOrigin: '*' },
			{ newAsset, contentTypes: ['video'] },
			{ newAsset, expiresInSec: 59 },
			{ newAsset, expiresInSec: 259_201 },
			{ newAsset, maxBytes: 0 },
			{ newAsset, maxBytes: 5 * 1024 ** 3 + 1 },
			{ newAsset: { title: '' } },
			{ newAsset, process: true },
		])
			expect((await world.ask(contract.createDirectUpload, { body: body as never }, ada)).code).toBe(
				'validation',
			)
	})
})

describe('the end of a direct upload', () => {
	test('a cancelled direct upload takes no more bytes and creates no asset, even if it is cancelled twice', async () => {
		const upload = await create()
		await chunk(upload, 0, 5)
		expect(await countStored(upload)).toBe(5)
		const { data } = (await cancel(upload)).ok
		expect(await countStored(upload)).toBe(0)
		expect(data).toMatchObject({ status: 'cancelled', assetId: null })
		expect((await cancel(upload)).ok.data).toEqual(data)
		expect((await chunk(upload, 5, film.length)).code).toBe('gone')
		expect((await put(upload, film)).code).toBe('gone')
		const done = await create()
		await put(done, film)
		expect((await cancel(done)).code).toBe('conflict')
		expect(await assets()).toHaveLength(1)
	})

	test('an expired direct upload ends with its bytes, and is forgotten after 30 days', async () => {
		const upload = await create({ expiresInSec: 60 })
		await chunk(upload, 0, 5)
		world.pass(61_000)
		expect((await chunk(upload, 5, film.length)).code).toBe('gone')
		expect(await countStored(upload)).toBe(5)
		await world.cron('*/10 * * * *')
		expect(await countStored(upload)).toBe(0)
		const key = await world.logIn(ada)
		const listed = await world.ask(contract.listDirectUploads, { query: {} }, { token: key })
		expect(listed.ok.data).toMatchObject([{ id: upload.id, status: 'timed_out', assetId: null }])
		world.pass(31 * 24 * HOUR)
		await world.cron('17 3 * * *')
		expect(await countOf('select 1 from direct_uploads')).toBe(0)
	})

	test('a direct upload whose asset was deleted says that it is gone', async () => {
		const upload = await create()
		await put(upload, film)
		const { assetId } = await get(upload)
		await world.ask(deleteAsset, { params: { assetId: assetId ?? '' } }, ada)
		await world.deliver()
		expect((await put(upload, film)).code).toBe('gone')
		expect(await assets()).toEqual([])
	})

	test('direct uploads are listed newest first, in pages, and hidden from other organizations', async () => {
		const eve = await world.person()
		const first = await create()
		const second = await create()
		const page = await world.ask(contract.listDirectUploads, { query: { limit: '1' } }, ada)
		expect(page.ok.data.map(({ id }) => id)).toEqual([second.id])
		const cursor = String(page.headers.get('x-next-cursor'))
		const rest = await world.ask(contract.listDirectUploads, { query: { cursor } }, ada)
		expect(rest.ok.data.map(({ id }) => id)).toEqual([first.id])
		expect(page.text).not.toContain(tokenIn(second))
		expect((await world.ask(contract.listDirectUploads, { query: {} }, eve)).ok.data).toEqual([])
		expect((await world.ask(contract.getDirectUpload, { params: { uploadId: first.id } }, eve)).code).toBe(
			'not_found',
		)
		expect((await cancel(first, eve)).code).toBe('not_found')
		expect((await get(first)).status).toBe('waiting')
	})

	test('a suspended organization receives no direct uploads', async () => {
		const upload = await create()
		const params = { orgId: ada.orgId }
		await world.ask(suspendOrg, { params, body: { reason: 'billing' } }, ada)
		expect((await put(upload, film)).code).toBe('org_suspended')
		expect(await countOf('select 1 from assets')).toBe(0)
	})
})
