import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { storedKeys } from '../uploads/tus/tus-fixture.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
let machine: FakeMachine
let assetId: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
	machine = await openMachine(world, { info: aFilm(10), fetched: 'an imported film' })
	assetId = (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id
	const body = { sourceUrl: 'https://example.org/film.mp4' }
	await world.ask(importSource, { params: { assetId }, body }, ada)
	await studio.start(assetId)
})

async function claim() {
	const task = await machine.claim()
	if (!task) throw new Error('nothing to do')
	return task
}

/** Returns a function that checks whether the multipart upload of a task still exists. */
async function openCheckOf(taskId: string) {
	const [row] = await world.deps((d) =>
		d.db.all<{ upload_key: string; upload_id: string }>(
			`select upload_key, upload_id from tasks where id = '${taskId}'`,
		),
	)
	const { upload_key: key, upload_id: id } = row ?? { upload_key: '', upload_id: '' }
	return () =>
		env.VAULT.resumeMultipartUpload(key, id)
			.uploadPart(9_999, 'x')
			.then(
				() => true,
				() => false,
			)
}

const events = () =>
	world.deps((d) =>
		d.db.all<{ type: string }>("select type from outbox where type like 'asset.%' order by id"),
	)

test('an import reports its step and a growing progress', { tags: 'd1' }, async () => {
	const seen: { step: string | null; progress: number | undefined }[] = []
	const recordProgress = async () => {
		const { status, currentStep, job } = await studio.asset(assetId)
		seen.push({ step: currentStep, progress: job?.progress })
		return status
	}
	expect(await recordProgress()).toBe('queued')
	const fetch = await claim()
	for (const progress of [0.1, 0.5, 0.99]) {
		await machine.heartbeat(fetch, progress)
		expect(await recordProgress()).toBe('processing')
	}
	await machine.perform(fetch)
	await recordProgress()
	await machine.perform(await claim())
	await recordProgress()
	expect(seen).toEqual([
		{ step: 'fetching', progress: 0 },
		{ step: 'fetching', progress: 0 },
		{ step: 'fetching', progress: 2 },
		{ step: 'fetching', progress: 3 },
		{ step: 'inspecting', progress: 4 },
		{ step: 'encoding', progress: 5 },
	])
})

test('an import from a bad URL fails with a message and can be started again', async () => {
	const message = 'there is no video at this address (404)'
	await machine.fail(await claim(), 'permanent', message)
	expect(await studio.asset(assetId)).toMatchObject({
		status: 'error',
		errorMessage: message,
		currentStep: null,
	})
	expect(await storedKeys()).toEqual([])
	expect((await studio.start(assetId)).status).toBe(200)
	expect((await machine.drain()).slice(0, 2)).toEqual(['fetch', 'inspect'])
	expect((await studio.asset(assetId)).status).toBe('ready')
})

describe('aborted multipart uploads', () => {
	test('deleting an asset aborts its multipart upload, and is recorded once', async () => {
		const task = await claim()
		await machine.putParts(task, 'half of it')
		const isOpen = await openCheckOf(task.id)
		expect(await isOpen()).toBe(true)
		const answers = await Promise.all([1, 2].map(() => world.ask(deleteAsset, { params: { assetId } }, ada)))
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
		expect(await isOpen()).toBe(false)
		expect((await machine.heartbeat(task)).status).toBe(410)
		expect((await machine.fail(task, 'transient')).status).toBe(410)
		await world.cron('* * * * *')
		await world.deliver()
		expect(await storedKeys()).toEqual([])
		expect((await events()).filter(({ type }) => type === 'asset.deleted')).toHaveLength(1)
	})

	test('a permanent failure of the fetch aborts the multipart upload', { tags: 'd1' }, async () => {
		const task = await claim()
		await machine.putParts(task, 'half of it')
		const isOpen = await openCheckOf(task.id)
		await machine.fail(task, 'permanent', 'the file at this URL is empty')
		expect(await isOpen()).toBe(false)
	})

	test('a fetch whose machines all stop responding has its multipart uploads aborted', {
		tags: 'd1',
	}, async () => {
		let isOpen: () => Promise<boolean> = async () => false
		for (let n = 1; n <= 3; n++) {
			const task = await claim()
			expect(await isOpen()).toBe(false)
			await machine.putParts(task, 'half of it')
			isOpen = await openCheckOf(task.id)
			expect(await isOpen()).toBe(true)
			world.pass(2 * MINUTE)
		}
		await world.cron('* * * * *')
		expect((await studio.asset(assetId)).status).toBe('error')
		expect(await isOpen()).toBe(false)
	})

	test('the next job aborts the multipart upload of a download of the former job', {
		tags: 'd1',
	}, async () => {
		await machine.perform(await claim())
		let task = await claim()
		for (; task.spec.kind !== 'download'; task = await claim()) await machine.perform(task)
		await machine.putParts(task, 'half of a file')
		const isOpen = await openCheckOf(task.id)
		await studio.start(assetId)
		const [other] = [await openMachine(world, { info: aFilm(10) }, 'another')]
		while ((await studio.asset(assetId)).status !== 'ready') {
			const next = await other.claim({ kinds: ['inspect', 'video', 'audio', 'stills'] })
			if (!next) throw new Error('nothing to do')
			await other.perform(next)
		}
		expect(await isOpen()).toBe(false)
		expect((await machine.heartbeat(task)).status).toBe(410)
	})
})
