import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAsset } from '#schema/contract/video/assets.ts'
import { cancelJob } from '#schema/contract/video/processing/jobs.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { storedKeys } from '../uploads/tus/tus-fixture.ts'
import { allEncoders, assetCodecs, openCodecStudio, workUntil } from './codec-studio.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'
import { aFilm, aStandardFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
let machine: FakeMachine
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
	machine = await openMachine(world, { info: aFilm(10) })
})
const set = (bindings: Record<string, unknown>) =>
	(world.set as (bindings: Record<string, unknown>) => void)(bindings)
afterEach(() => set({ VAULT: env.VAULT }))

const cancel = (jobId: string, who: Person = ada) => world.ask(cancelJob, { params: { jobId } }, who)

async function claim() {
	const task = await machine.claim()
	if (!task) throw new Error('nothing to do')
	return task
}

async function startNew(body?: { playback: 'early' }) {
	const video = await studio.upload()
	return { ...video, jobId: (await studio.start(video.assetId, body)).ok.data.jobId }
}

const mediaKeys = async () => (await env.MEDIA.list()).objects.map(({ key }) => key)
const events = () =>
	world.deps((d) => d.db.all("select type from outbox where type = 'asset.processing_cancelled'"))
const minutes = () =>
	world.deps((d) => d.db.all("select value from usage_counters where metric = 'encode_ms'"))
async function purge() {
	await world.cron('* * * * *')
	await world.deliver()
}

describe('the cancellation of a job', () => {
	test('a cancelled job leaves the asset uploaded with its source, and machines get 410', async () => {
		const { assetId, jobId } = await startNew()
		await machine.perform(await claim())
		const task = await claim()
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects)
		const { ok } = await cancel(jobId)
		expect(ok.data).toMatchObject({ id: jobId, assetId, status: 'cancelled', currentStep: null })
		expect(ok.data.endedAt).not.toBeNull()
		expect(await studio.asset(assetId)).toMatchObject({ status: 'uploaded', job: { status: 'cancelled' } })
		for (const answer of [
			await machine.heartbeat(task),
			await machine.outputs(task, objects.map(([name]) => name).slice(0, 1)),
			await machine.complete(task, result),
		])
			expect(answer.status).toBe(410)
		expect(await machine.claim()).toBeNull()
		await purge()
		expect([await mediaKeys(), await storedKeys()]).toEqual([[], [expect.stringContaining(assetId)]])
		expect([await minutes(), await events()]).toEqual([[], [{ type: 'asset.processing_cancelled' }]])
	})

	test('repeated and concurrent cancellations have one effect and the same response', async () => {
		const { assetId, jobId } = await startNew()
		const answers = await Promise.all([cancel(jobId), cancel(jobId), cancel(jobId)])
		const last = await cancel(jobId)
		for (const { ok } of answers) expect(ok.data).toEqual(last.ok.data)
		expect(await events()).toHaveLength(1)
		// A later job is not affected.
		await studio.start(assetId)
		expect((await cancel(jobId)).ok.data.status).toBe('cancelled')
		expect(await studio.asset(assetId)).toMatchObject({ status: 'queued', job: { status: 'queued' } })
		await machine.drain()
		expect((await studio.asset(assetId)).status).toBe('ready')
	})

	test('a job that has ended, and the job of another organization, are not cancelled', async () => {
		const { jobId } = await startNew()
		expect((await cancel(jobId, await world.person())).status).toBe(404)
		await machine.drain()
		const refused = await cancel(jobId)
		expect([refused.status, refused.error]).toEqual([
			409,
			'this job is already completed; only a job that has not ended can be cancelled',
		])
		expect(await events()).toEqual([])
	})

	test('an asset that an earlier job published plays again after its new job is cancelled', async () => {
		const { assetId, playbackId } = await startNew()
		await machine.drain()
		const play = () => world.ask(getPlayback, { params: { playbackId } })
		const before = (await play()).ok.data.manifestUrl
		const { jobId } = (await studio.start(assetId)).ok.data
		await machine.perform(await claim())
		await machine.perform(await claim())
		expect((await play()).status).toBe(404)
		const stored = await mediaKeys()
		await cancel(jobId)
		expect((await play()).ok.data.manifestUrl).toBe(before)
		await purge()
		expect(await mediaKeys()).toEqual(stored.filter((key) => !key.includes(jobId)))
		expect((await studio.asset(assetId)).status).toBe('ready')
	})

	test('an asset that plays early keeps its published renditions, and its minutes do not count', async () => {
		machine = await openMachine(world, { info: aStandardFilm(40) }, 'copier')
		const { assetId, playbackId, jobId } = await startNew({ playback: 'early' })
		for (const _ of ['inspect', 'remux', 'audio']) await machine.perform(await claim())
		const task = await claim()
		const { objects } = await machine.work(task)
		await machine.put(task, objects)
		const { renditions } = await studio.asset(assetId)
		await cancel(jobId)
		expect(await studio.asset(assetId)).toMatchObject({
			status: 'ready',
			renditions,
			job: { status: 'cancelled' },
		})
		expect((await world.ask(getPlayback, { params: { playbackId } })).status).toBe(200)
		await purge()
		const left = await mediaKeys()
		expect(left.some((key) => key.includes(task.id))).toBe(false)
		expect(left.some((key) => key.endsWith('.m3u8'))).toBe(true)
		expect([await machine.claim(), await minutes()]).toEqual([null, []])
	})

	test('a job that is cancelled while other codecs are encoded counts, and its downloads continue', async () => {
		const codecs = await openCodecStudio(world, ada)
		machine = await openMachine(world, { info: aFilm(30) }, 'all', allEncoders)
		const { assetId } = await codecs.startInspected(machine)
		await workUntil(machine, 'download')
		const jobId = (await studio.asset(assetId)).job?.id ?? ''
		await cancel(jobId)
		expect(new Set(await machine.drain())).toEqual(new Set(['download']))
		const asset = await studio.asset(assetId)
		expect([asset.status, asset.job?.status, assetCodecs(asset)]).toEqual(['ready', 'cancelled', ['h264']])
		expect(await minutes()).toEqual([{ value: 30_000 }])
	})
})

describe('a cancellation at the same time as machines end their tasks', () => {
	test('a cancellation at the same time as the last task leaves either a ready asset or an uploaded one', async () => {
		const { assetId, jobId } = await startNew()
		let last = await claim()
		for (let task: typeof last | null = last; task; task = await machine.claim()) {
			last = task
			if (task.spec.kind === 'stills') break
			await machine.perform(task)
		}
		const { result, objects } = await machine.work(last)
		await machine.put(last, objects)
		const [completed, cancelled] = await Promise.all([machine.complete(last, result), cancel(jobId)])
		const { status, job } = await studio.asset(assetId)
		const outcome = [cancelled.status, status, job?.status].join()
		expect(['200,uploaded,cancelled', '200,ready,cancelled', '409,ready,completed']).toContain(outcome)
		expect([200, 410]).toContain(completed.status)
	})

	test('a fetched file does not become the source of an asset whose job was cancelled meanwhile', async () => {
		const { id } = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data
		const body = { sourceUrl: 'https://example.org/film.mp4' }
		await world.ask(importSource, { params: { assetId: id }, body }, ada)
		const { jobId } = (await studio.start(id)).ok.data
		const fetch = await claim()
		const { result } = await machine.work(fetch)
		// The job is cancelled after the task is done, while the Worker looks for the file.
		const vault = new Proxy(env.VAULT, {
			get(bucket, name: keyof R2Bucket) {
				const value = bucket[name]
				if (typeof value !== 'function') return value
				if (name !== 'head') return value.bind(bucket)
				return async (key: string) => {
					const head = await bucket.head(key)
					const [task] = await world.deps((d) =>
						d.db.all<{ state: string }>(`select state from tasks where id = '${fetch.id}'`),
					)
					if (task?.state === 'done') await cancel(jobId)
					return head
				}
			},
		})
		set({ VAULT: vault })
		await machine.complete(fetch, result)
		await purge()
		expect(await studio.asset(id)).toMatchObject({ status: 'uploaded', sourceSizeBytes: null })
		expect(await storedKeys()).toEqual([])
		set({ VAULT: env.VAULT })
		await studio.start(id)
		await machine.drain()
		expect((await studio.asset(id)).status).toBe('ready')
	})
})
