import { beforeEach, describe, expect, test } from 'vitest'
import { suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import {
	createAsset,
	deleteAsset,
	getAsset,
	type NewAsset,
	restoreAsset,
} from '#schema/contract/video/assets.ts'
import { createDirectUpload, getDirectUpload, uploadDirectly } from '#schema/contract/video/direct-uploads.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { completeUpload, importSource, uploadSource } from '#schema/contract/video/uploads.ts'
import { processUploaded } from '../../../../edge/video/transcoding/jobs/process-uploaded.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openChunks } from '../uploads/chunks/chunk-fixture.ts'
import { film, openUpload } from '../uploads/tus/tus-fixture.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld({ SUPERADMIN_EMAILS: 'ada@example.org' })
	ada = await world.person({ email: 'ada@example.org' })
})

const URL = 'https://example.org/film.mp4'
const whenUploaded = { process: 'whenUploaded' } as const
const noSpeech = { transcription: false, subtitles: false, chapters: false, highlights: false }
type Body = Partial<NewAsset> & { sourceUrl?: string }

const create = (body: Body) => world.ask(createAsset, { body: { title: 'Film', ...body } }, ada)
const status = async (assetId: string) =>
	(await world.ask(getAsset, { params: { assetId } }, ada)).ok.data.status
const jobs = () =>
	world.deps((d) =>
		d.db.all<{ asset_id: string; playback: string; ai_options: string }>(
			'select asset_id, playback, ai_options from jobs order by id',
		),
	)
const put = (assetId: string) =>
	world.ask(uploadSource, { params: { assetId } }, { ...ada, bytes: 'the film' })
const suspension = { reason: 'billing' as const }
const params = () => ({ orgId: ada.orgId })

/** Each function uploads a new asset in a different way, and returns its id. */
const ways: Record<string, () => Promise<string>> = {
	async put() {
		const { id } = (await create(whenUploaded)).ok.data
		await put(id)
		return id
	},
	async chunks() {
		const chunks = await openChunks(world, ada, 'presigned', whenUploaded)
		await chunks.chunk(film(9), 0, 9)
		await world.ask(completeUpload, { params: { assetId: chunks.assetId } }, ada)
		return chunks.assetId
	},
	async tus() {
		const upload = await openUpload(world, ada, 9, whenUploaded)
		await upload.patch(await upload.begin(9), 0, film(9))
		return upload.assetId
	},
	async import() {
		const { id } = (await create(whenUploaded)).ok.data
		await world.ask(importSource, { params: { assetId: id }, body: { sourceUrl: URL } }, ada)
		return id
	},
	async direct() {
		const newAsset = { title: 'Film', ...whenUploaded }
		const upload = (await world.ask(createDirectUpload, { body: { newAsset } }, ada)).ok.data
		expect(upload.newAsset).toMatchObject({ ...whenUploaded, processOptions: { playback: 'complete' } })
		const uploadToken = String(upload.url.split('/').at(-1))
		const headers = { 'content-length': '8' }
		await world.ask(uploadDirectly, { params: { uploadToken } }, { bytes: 'the film', headers })
		return (await world.ask(getDirectUpload, { params: { uploadId: upload.id } }, ada)).ok.data.assetId ?? ''
	},
}

describe('an asset that is to be processed when it is uploaded', () => {
	test.each(Object.keys(ways))('an asset uploaded by %s is processed once', async (way) => {
		const assetId = (await ways[way]?.()) ?? ''
		expect(await status(assetId)).toBe('uploaded')
		await world.deliver()
		expect(await status(assetId)).toBe('queued')
		expect((await jobs()).map((job) => job.asset_id)).toEqual([assetId])
	})

	test('one call creates an asset, imports its source and processes it with its options', async () => {
		const processOptions = { playback: 'early' as const, aiOptions: noSpeech }
		const created = (await create({ ...whenUploaded, processOptions, sourceUrl: `${URL}#part` })).ok.data
		expect(created.status).toBe('uploaded')
		await world.deliver()
		expect(await status(created.id)).toBe('queued')
		const [job] = await jobs()
		expect([job?.playback, JSON.parse(job?.ai_options ?? '')]).toEqual(['early', noSpeech])
		const [task] = await world.deps((d) =>
			d.db.all<{ spec: string }>(`select spec from tasks where asset_id = '${created.id}'`),
		)
		expect(JSON.parse(task?.spec ?? '')).toMatchObject({ kind: 'fetch', url: URL })
	})

	test('repeated, concurrent and late events of one upload start a single job', async () => {
		const { id, playbackId } = (await create(whenUploaded)).ok.data
		await put(id)
		const event = {
			...{ type: 'asset.uploaded' as const, orgId: ada.orgId, id: 'evt', createdAt: world.now },
			payload: { assetId: id, playbackId, title: 'Film', ...whenUploaded },
		}
		const follow = () => world.perform((deps) => processUploaded(deps, event))
		await Promise.all([follow(), follow(), follow()])
		expect(await jobs()).toHaveLength(1)
		await world.deps((d) => d.db.all("update jobs set status = 'failed' returning 1"))
		await world.deps((d) => d.db.all("update assets set status = 'uploaded' returning 1"))
		await follow()
		expect(await jobs()).toHaveLength(1)
	})

	test('an asset that was in the trash when its upload was announced is processed after its restoration', async () => {
		const { id } = (await create(whenUploaded)).ok.data
		await put(id)
		await world.ask(deleteAsset, { params: { assetId: id }, query: { trash: 'true' } }, ada)
		await world.deliver()
		expect(await jobs()).toEqual([])
		await world.ask(restoreAsset, { params: { assetId: id } }, ada)
		await world.deliver()
		expect(await jobs()).toHaveLength(1)
	})

	test('an asset stays uploaded if its processing is refused, and can still be processed later', async () => {
		const { id } = (await create(whenUploaded)).ok.data
		await put(id)
		await world.ask(suspendOrg, { params: params(), body: suspension }, ada)
		expect((await world.deliver()).retryMessages).toEqual([])
		expect(await jobs()).toEqual([])
		await world.ask(unsuspendOrg, { params: params(), body: suspension }, ada)
		expect(await status(id)).toBe('uploaded')
		expect((await world.ask(processAsset, { params: { assetId: id } }, ada)).status).toBe(200)
	})

	test('an asset created without process is not processed, and its upload event takes no extra statement', async () => {
		const { id } = (await create({})).ok.data
		await put(id)
		world.statements.length = 0
		await world.perform((deps) =>
			processUploaded(deps, {
				...{ type: 'asset.uploaded', orgId: ada.orgId, id: 'evt', createdAt: world.now },
				payload: { assetId: id, playbackId: '', title: 'Film' },
			}),
		)
		expect(world.statements).toEqual([])
		await world.deliver()
		expect(await status(id)).toBe('uploaded')
	})
})

describe('the creation of an asset from a URL', () => {
	test('createAsset rejects a forbidden source URL and processOptions without process, and creates nothing', async () => {
		for (const body of [
			{ sourceUrl: 'https://127.0.0.1/film.mp4' },
			{ sourceUrl: 'https://user@example.org/film.mp4' },
			{ sourceUrl: '' },
			{ processOptions: { playback: 'early' } },
			{ process: 'now' },
		])
			expect((await create(body as Body)).status, JSON.stringify(body)).toBe(400)
		const refused = await create({ sourceUrl: URL, collectionId: 'col_00000000000000000000000000' })
		expect([refused.status, refused.error]).toEqual([404, 'no such collection'])
		expect((await world.dump()).assets).toEqual([])
		const events = "select 1 from outbox where type like 'asset.%'"
		expect(await world.deps(({ db }) => db.all(events))).toEqual([])
	})

	test('an asset created from a URL is uploaded at once, and without process waits for a request to process it', async () => {
		const { id } = (await create({ sourceUrl: URL })).ok.data
		await world.deliver()
		expect(await status(id)).toBe('uploaded')
		expect(await jobs()).toEqual([])
	})
})
