import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
import { downloadAsset } from '#schema/contract/video/downloads.ts'
import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { DAY, MINUTE } from '../../../../edge/platform/clock.ts'
import { storedObjects } from '../../../support/edge/stored-objects.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { previewsIn } from '../../../support/shared/previews.ts'
import { openMachine } from './fake-machine.ts'
import { aFilm, aStandardFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let upload: ReturnType<typeof openStudio>['upload']
let start: ReturnType<typeof openStudio>['start']
let asset: ReturnType<typeof openStudio>['asset']
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	;({ upload, start, asset } = openStudio(world, ada))
})

const events = () =>
	world.deps((d) =>
		d.db.all<{ type: string; payload: string }>(
			"select type, payload from outbox where type like 'asset.%' order by id",
		),
	)
const keys = async (bucket: R2Bucket) => (await storedObjects(bucket)).map(({ key }) => key)

describe('processing a video', { tags: 'd1' }, () => {
	test('processing publishes the video after its tasks, then makes downloads', async () => {
		const { assetId, playbackId } = await upload()
		const { ok, statements } = await start(assetId)
		expect(ok.data).toMatchObject({ assetId, status: 'queued' })
		expect(statements.length).toBeLessThanOrEqual(10)
		expect(await asset(assetId)).toMatchObject({
			status: 'queued',
			currentStep: 'inspecting',
			job: { id: ok.data.jobId, status: 'queued', workerKind: 'none', progress: 0 },
		})
		const machine = await openMachine(world, { info: aFilm(30) })
		const task = await machine.claim()
		if (!task) throw new Error('nothing to do')
		expect(task).toMatchObject({ epoch: 1, spec: { kind: 'inspect' } })
		const source = await world.fetch(new Request(task.source?.url ?? ''))
		expect(await source.text()).toBe('the film Film')
		expect(await asset(assetId)).toMatchObject({ status: 'processing', job: { status: 'processing' } })
		expect((await machine.perform(task)).status).toBe(200)
		expect(await asset(assetId)).toMatchObject({
			currentStep: 'encoding',
			durationSec: 30,
			job: { progress: 5 },
		})
		const done = await machine.drain()
		expect(done.filter((kind) => kind === 'download').length).toBeGreaterThan(1)
		expect(done.slice(0, -1 * done.filter((kind) => kind === 'download').length)).not.toContain('download')
		const ready = await asset(assetId)
		expect(ready).toMatchObject({
			status: 'ready',
			durationSec: 30,
			currentStep: null,
			job: { status: 'completed', workerKind: 'cpu', hwAccelUsed: false, progress: 100 },
		})
		expect(ready.renditions[0]).toMatchObject({ quality: '720p', width: 1280, height: 720, codec: 'h264' })
		const playback = await world.ask(getPlayback, { params: { playbackId } })
		const record = playback.ok.data
		const master = await world.fetch(new Request(record.manifestUrl))
		const text = await master.text()
		expect(text).toContain('#EXTM3U')
		for (const line of text.split('\n').filter((each) => /^[^#].*m3u8$/.test(each))) {
			const playlist = await world.fetch(new Request(new URL(line, record.manifestUrl)))
			const body = await playlist.text()
			for (const segment of body.split('\n').filter((each) => /\.m4s$/.test(each)))
				expect((await world.fetch(new Request(new URL(segment, record.manifestUrl)))).status).toBe(200)
		}
		const stored = await world.deps((d) =>
			d.db.all<{ quality: string; download_key: string; download_bytes: number }>(
				'select quality, download_key, download_bytes from renditions',
			),
		)
		expect(stored.map(({ quality }) => quality)).toEqual(ready.renditions.map(({ quality }) => quality))
		for (const { quality, download_key, download_bytes } of stored) {
			expect((await env.VAULT.head(download_key))?.size).toBe(download_bytes)
			for (const label of [quality, `h264-${quality}`]) {
				const query = { quality: label }
				const { ok, statements } = await world.ask(downloadAsset, { params: { assetId }, query }, ada)
				expect(ok.data.fileSizeBytes).toBe(download_bytes)
				expect(ok.data.downloadUrl).toContain(download_key)
				expect(statements).toHaveLength(3)
			}
		}
		const none = { params: { assetId }, query: { quality: '1080p' } }
		expect((await world.ask(downloadAsset, none, ada)).status).toBe(404)
		const { animation, storyboard } = previewsIn(playback.headers.get('link'))
		for (const url of [animation, storyboard, record.thumbnailUrl])
			expect((await world.fetch(new Request(url))).status).toBe(200)
		const readyEvents = (await events()).filter(({ type }) => type === 'asset.ready')
		expect(readyEvents.map(({ payload }) => JSON.parse(payload))).toMatchObject([
			{ assetId, playbackId, durationSec: 30, renditions: ready.renditions },
		])
	})

	test('processing keeps every download, in whatever order they are made', async () => {
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(30) })
		const open = { kinds: ['inspect', 'video', 'audio', 'stills'] as TaskKind[] }
		for (let task = await machine.claim(open); task; task = await machine.claim(open))
			await machine.perform(task)
		const downloads = [await machine.claim(), await machine.claim()]
		for (const task of downloads) if (task) expect((await machine.perform(task)).status).toBe(200)
		await machine.drain()
		for (let round = 0; round < 2; round++) {
			await world.cron('* * * * *')
			await world.deliver()
			world.pass(DAY + MINUTE)
		}
		const renditions = await world.deps((d) =>
			d.db.all<{ download_key: string | null }>('select download_key from renditions'),
		)
		expect(renditions.length).toBeGreaterThan(1)
		for (const { download_key } of renditions) expect(await env.VAULT.head(download_key ?? '')).not.toBeNull()
	})

	test('processing counts encoded minutes once', async () => {
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(30) })
		await machine.drain()
		const counters = await world.deps((d) => d.db.all('select metric, value from usage_counters'))
		expect(counters).toEqual([{ metric: 'encode_ms', value: 30_000 }])
	})

	test('processing fetches an imported source first', async () => {
		const { id: assetId } = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
		const body = { sourceUrl: 'https://example.org/film.mp4' }
		await world.ask(importSource, { params: { assetId }, body }, ada)
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(10), fetched: 'from elsewhere' })
		const done = await machine.drain()
		expect(done.slice(0, 2)).toEqual(['fetch', 'inspect'])
		expect((await asset(assetId)).status).toBe('ready')
		const [row] = await world.deps((d) =>
			d.db.all<{ source_key: string; source_size_bytes: number }>(
				'select source_key, source_size_bytes from assets',
			),
		)
		expect(await (await env.VAULT.get(row?.source_key ?? ''))?.text()).toBe('from elsewhere')
		expect(row?.source_size_bytes).toBe('from elsewhere'.length)
		// The next job finds the source already stored.
		await start(assetId)
		expect((await machine.drain())[0]).toBe('inspect')
	})

	test('processing replaces the outputs of the previous job', async () => {
		const { assetId, playbackId } = await upload()
		const first = (await start(assetId)).ok.data.jobId
		const machine = await openMachine(world, { info: aFilm(10) })
		await machine.drain()
		const before = (await asset(assetId)).thumbnailUrl
		const second = (await start(assetId)).ok.data.jobId
		expect((await world.ask(getPlayback, { params: { playbackId } })).status).toBe(404)
		await machine.drain()
		const again = await asset(assetId)
		expect(again).toMatchObject({ status: 'ready', job: { id: second } })
		// The new thumbnail needs a new URL, because browsers cache the old one for a year.
		expect(again.thumbnailUrl).not.toBe(before)
		await world.cron('* * * * *')
		await world.deliver()
		const left = [...(await keys(env.MEDIA)), ...(await keys(env.VAULT))]
		expect(left.filter((key) => key.includes(first))).toEqual([])
		expect(left.filter((key) => key.includes(second)).length).toBeGreaterThan(10)
	})
})

test('the job that made the current outputs is kept until they are replaced', { tags: 'd1' }, async () => {
	const { assetId } = await upload()
	const first = (await start(assetId)).ok.data.jobId
	const machine = await openMachine(world, { info: aFilm(10) })
	await machine.drain()
	for (let n = 0; n < 2; n++) {
		await start(assetId)
		const task = await machine.claim()
		if (task) await machine.fail(task, 'permanent', 'The picture is broken.')
	}
	world.pass(31 * DAY)
	await world.cron('17 3 * * *')
	const jobs = await world.deps((d) =>
		d.db.all<{ id: string; status: string }>('select id, status from jobs order by id'),
	)
	// Of the two failed jobs, the older one is deleted.
	expect(jobs).toEqual([
		{ id: first, status: 'completed' },
		{ id: expect.any(String), status: 'failed' },
	])
	expect(await world.deps((d) => d.db.all('select id from tasks'))).toEqual([])

	await openStudio(world, { ...ada, token: await world.logIn(ada) }).start(assetId)
	await (await openMachine(world, { info: aFilm(10) })).drain()
	await world.cron('* * * * *')
	await world.deliver()
	const left = [...(await keys(env.MEDIA)), ...(await keys(env.VAULT))]
	expect(left.filter((key) => key.includes(first))).toEqual([])
	expect(left.length).toBeGreaterThan(10)
})

describe('a request to process', () => {
	test('a request to process returns 409 without a source or during a job, and 404 to other organizations', async () => {
		const { id } = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
		expect((await start(id)).status).toBe(409)
		const { assetId } = await upload()
		const both = await Promise.all([start(assetId), start(assetId)])
		expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
		expect((await start(assetId)).status).toBe(409)
		const bob = await world.person()
		expect((await world.ask(processAsset, { params: { assetId } }, bob)).status).toBe(404)
	})

	test('a request to process stores the AI options, which default to true', async () => {
		const { assetId } = await upload()
		const body = { aiOptions: { chapters: false } }
		await world.ask(processAsset, { params: { assetId }, body }, ada)
		const [row] = await world.deps((d) => d.db.all<{ ai_options: string }>('select ai_options from jobs'))
		expect(JSON.parse(row?.ai_options ?? '')).toEqual({
			transcription: true,
			subtitles: true,
			chapters: false,
			highlights: true,
		})
	})

	test('processing needs minutes of the tier; a video that exceeds them fails with a message', async () => {
		await world.deps((d) => d.db.all("update orgs set tier = 'free' returning id"))
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(121 * 60) })
		await machine.drain()
		expect(await asset(assetId)).toMatchObject({
			status: 'error',
			errorMessage: expect.stringContaining('120 minutes'),
		})
		await world.deps((d) =>
			d.db.all(
				`insert into usage_counters values ('${ada.orgId}', 'encode_ms', '2037-11', 7200000) returning 1`,
			),
		)
		expect(await start(assetId)).toMatchObject({ status: 403, code: 'plan_limit' })
	})
})

test('two concurrent videos that together exceed the minutes of the tier encode only one', async () => {
	await world.deps((d) => d.db.all("update orgs set tier = 'free' returning id"))
	const videos = [await upload(), await upload()]
	const machine = await openMachine(world, { info: aFilm(70 * 60) })
	for (const { assetId } of videos) await start(assetId)
	const tasks = [await machine.claim(), await machine.claim()]
	await Promise.all(tasks.map((task) => task && machine.perform(task)))
	const seen = await Promise.all(videos.map(({ assetId }) => asset(assetId)))
	expect(seen.map(({ status, currentStep }) => [status, currentStep]).toSorted()).toEqual([
		['error', null],
		['processing', 'encoding'],
	])
})

describe('early playback', { tags: 'd1' }, () => {
	test('early playback is ready with the copied rung and gains the others', async () => {
		const { assetId, playbackId } = await upload()
		await start(assetId, { playback: 'early' })
		const machine = await openMachine(world, { info: aStandardFilm(40) })
		const manifest = async () =>
			(await world.ask(getPlayback, { params: { playbackId } })).ok.data.manifestUrl
		for (const kind of ['inspect', 'remux', 'audio'] as const) {
			expect((await asset(assetId)).status).not.toBe('ready')
			const task = await machine.claim()
			if (task?.spec.kind !== kind) throw new Error(`${task?.spec.kind} instead of ${kind}`)
			await machine.perform(task)
		}
		expect(await asset(assetId)).toMatchObject({
			status: 'ready',
			job: { status: 'processing' },
			renditions: [{ quality: '720p' }],
		})
		const early = await manifest()
		expect((await start(assetId)).status).toBe(409)
		await machine.drain()
		const whole = await asset(assetId)
		expect(whole).toMatchObject({ status: 'ready', job: { status: 'completed' } })
		expect(whole.renditions.length).toBeGreaterThan(2)
		expect(await manifest()).not.toBe(early)
		expect((await events()).filter(({ type }) => type === 'asset.ready')).toHaveLength(1)

		const masters = async () => (await keys(env.MEDIA)).filter((key) => /\/master-\d+\.m3u8$/.test(key))
		await world.cron('* * * * *')
		await world.deliver()
		// Players that started early still use the first playlist.
		expect((await masters()).length).toBeGreaterThan(1)
		world.pass(DAY + MINUTE)
		await world.cron('* * * * *')
		await world.deliver()
		const [row] = await world.deps((d) =>
			d.db.all<{ manifest_key: string }>('select manifest_key from assets'),
		)
		expect(await masters()).toEqual([row?.manifest_key])
	})
})

describe('deleting an asset during processing', { tags: 'd1' }, () => {
	test('deleting an asset cancels its job: machines get 410, and no object is left', async () => {
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(10) })
		const inspect = await machine.claim()
		if (inspect) await machine.perform(inspect)
		const task = await machine.claim()
		if (!task) throw new Error('nothing to do')
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects)
		await world.ask(deleteAsset, { params: { assetId } }, ada)
		for (const answer of [
			await machine.heartbeat(task),
			await machine.outputs(task, ['poster.jpg']),
			await machine.complete(task, result),
			await machine.fail(task, 'permanent'),
			await machine.release(task),
		])
			expect(answer.status).toBe(410)
		expect(await machine.claim()).toBeNull()
		await world.cron('* * * * *')
		await world.deliver()
		expect([...(await keys(env.MEDIA)), ...(await keys(env.VAULT))]).toEqual([])
		const left = await world.deps((d) => d.db.all('select status from jobs'))
		expect(left).toEqual([{ status: 'cancelled' }])
	})
})

describe('a failing job', { tags: 'd1' }, () => {
	test('a failing job reports the reason, stops its other tasks and can be started again', async () => {
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(60) })
		await machine.perform((await machine.claim()) ?? (Promise.reject(new Error('none')) as never))
		const [first, second] = [await machine.claim(), await machine.claim()]
		if (!first || !second) throw new Error('nothing to do')
		expect((await machine.fail(first, 'permanent', 'The picture is broken.')).status).toBe(200)
		expect((await machine.fail(first, 'permanent', 'The picture is broken.')).status).toBe(200)
		expect(await asset(assetId)).toMatchObject({
			status: 'error',
			errorMessage: 'The picture is broken.',
			currentStep: null,
			job: { status: 'failed', errorMessage: 'The picture is broken.' },
		})
		expect((await machine.heartbeat(second)).status).toBe(410)
		expect((await events()).filter(({ type }) => type === 'asset.error')).toHaveLength(1)
		await world.cron('* * * * *')
		await world.deliver()
		expect((await keys(env.MEDIA)).length).toBe(0)
		await start(assetId)
		await machine.drain()
		expect((await asset(assetId)).status).toBe('ready')
	})

	test('a job tries a task four times after transient failures', async () => {
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(60) })
		for (let n = 1; n <= 4; n++) {
			const task = await machine.claim()
			if (!task) throw new Error('nothing to do')
			expect(task.epoch).toBe(n)
			await machine.fail(task, 'transient', 'The disk is full.')
			if (n < 4) expect((await asset(assetId)).status).toBe('processing')
			world.pass(10 * MINUTE)
		}
		expect(await asset(assetId)).toMatchObject({
			status: 'error',
			errorMessage: 'processing failed 4 times; last error: The disk is full.',
		})
	})

	test('a job fails after three machines stopped responding during one task', async () => {
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(60) })
		for (let n = 1; n <= 3; n++) {
			expect((await machine.claim())?.epoch).toBe(n)
			world.pass(2 * MINUTE)
			if (n === 2) await world.cron('* * * * *')
		}
		expect(await machine.claim()).toBeNull()
		await world.cron('* * * * *')
		expect(await asset(assetId)).toMatchObject({
			status: 'error',
			errorMessage: expect.stringContaining('3 machines'),
		})
	})

	test('a job reports that a file has no playable video or audio', async () => {
		const { assetId } = await upload()
		await start(assetId)
		const machine = await openMachine(world, { info: aFilm(10, { video: null, audio: [] }) })
		await machine.drain()
		expect(await asset(assetId)).toMatchObject({
			status: 'error',
			errorMessage: 'the file has no playable video or audio',
		})
	})
})
