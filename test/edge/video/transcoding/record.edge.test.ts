/** @module-tag d1 */
import { beforeEach, describe, expect, test } from 'vitest'
import { resetThumbnail, setThumbnail } from '#schema/contract/video/assets.ts'
import { completeTask, type LeasedTask } from '#schema/contract/video/leases.ts'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { type FakeMachine, openMachine, PLACEHOLDER } from './fake-machine.ts'
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

const recordOf = async (playbackId: string) =>
	(await world.ask(getPlayback, { params: { playbackId } })).ok.data

function filmOf(video: Partial<VideoInfo>) {
	const film = aFilm(10)
	if (!film.video) throw new Error('the film has no video')
	return { ...film, video: { ...film.video, ...video } }
}

async function make(info = aFilm(10)) {
	machine.behavior.info = info
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	await machine.drain()
	return { assetId, playbackId }
}

async function claimed(kind: 'inspect' | 'stills'): Promise<LeasedTask> {
	const task = await machine.claim({ kinds: [kind] })
	if (!task) throw new Error(`there is no ${kind} task`)
	return task
}

describe('the playback record of a processed source', () => {
	test.each<[what: string, video: Partial<VideoInfo>, size: object]>([
		['a landscape video', {}, { width: 1280, height: 720, aspectRatio: '16:9' }],
		[
			'a portrait video',
			{ codedWidth: 720, codedHeight: 1280, displayWidth: 720, displayHeight: 1280 },
			{ width: 720, height: 1280, aspectRatio: '9:16' },
		],
		[
			'a rotated video',
			{ rotation: 90, displayWidth: 720, displayHeight: 1280 },
			{ width: 720, height: 1280, aspectRatio: '9:16' },
		],
		[
			'an anamorphic video',
			{
				...{ codedWidth: 720, codedHeight: 576, sampleAspect: { num: 16, den: 15 } },
				...{ displayWidth: 768, displayHeight: 576 },
			},
			{ width: 768, height: 576, aspectRatio: '4:3' },
		],
	])('the playback record of %s has the displayed size of its largest rendition', async (_, video, size) => {
		const { playbackId } = await make(filmOf(video))
		const record = await recordOf(playbackId)
		expect(record).toMatchObject({ ...size, placeholder: PLACEHOLDER })
		const storyboard = await world.fetch(new Request(record.storyboardUrl ?? ''))
		expect([storyboard.status, storyboard.headers.get('content-type')]).toEqual([
			200,
			'text/vtt; charset=utf-8',
		])
	})

	test('the playback record of audio without video has no size, placeholder or storyboard', async () => {
		const { playbackId } = await make(aFilm(10, { video: null }))
		expect(await recordOf(playbackId)).toMatchObject({
			...{ width: null, height: null, aspectRatio: null },
			...{ placeholder: null, storyboardUrl: null },
		})
	})

	test('the playback record has the size and the placeholder of the newest processing', async () => {
		const { assetId, playbackId } = await make()
		machine.behavior.info = filmOf({ displayWidth: 640, displayHeight: 480 })
		await studio.start(assetId)
		await machine.drain()
		expect(await recordOf(playbackId)).toMatchObject({ width: 640, height: 480, aspectRatio: '4:3' })
		machine.behavior.info = aFilm(10, { video: null })
		await studio.start(assetId)
		await machine.drain()
		expect(await recordOf(playbackId)).toMatchObject({ width: null, placeholder: null, storyboardUrl: null })
	})

	test('the playback record gets its placeholder later with early playback', async () => {
		machine.behavior.info = aStandardFilm(10)
		const { assetId, playbackId } = await studio.upload()
		await studio.start(assetId, { playback: 'early' })
		for (const kinds of [['inspect'], ['remux'], ['audio']] as const) {
			const task = await machine.claim({ kinds: [...kinds] })
			if (task) await machine.perform(task)
		}
		expect(await recordOf(playbackId)).toMatchObject({ width: 1280, height: 720, placeholder: null })
		await machine.drain()
		expect(await recordOf(playbackId)).toMatchObject({ width: 1280, placeholder: PLACEHOLDER })
	})
})

describe('the placeholder', () => {
	test('the poster placeholder is null while a custom thumbnail is set', async () => {
		const { assetId, playbackId } = await make()
		const params = { assetId }
		await world.ask(setThumbnail, { params }, { ...ada, bytes: wholePng })
		expect((await recordOf(playbackId)).placeholder).toBeNull()
		await world.ask(resetThumbnail, { params }, ada)
		expect((await recordOf(playbackId)).placeholder).toBe(PLACEHOLDER)
	})

	test('the poster placeholder is null if an older daemon makes the stills', async () => {
		const { assetId, playbackId } = await make()
		await studio.start(assetId)
		await machine.perform(await claimed('inspect'))
		const task = await claimed('stills')
		const { result, objects } = await machine.work(task)
		await machine.put(task, objects)
		const { placeholder, ...older } = result as Extract<typeof result, { kind: 'stills' }>
		expect(placeholder).toBe(PLACEHOLDER)
		const body = { epoch: task.epoch, result: older }
		expect((await world.ask(completeTask, { params: { taskId: task.id }, body }, machine)).status).toBe(200)
		await machine.drain()
		expect(await recordOf(playbackId)).toMatchObject({ width: 1280, placeholder: null })
	})

	test('the poster placeholder is null if an older version stored the result of the stills', async () => {
		const { assetId, playbackId } = await make()
		await studio.start(assetId)
		await machine.perform(await claimed('inspect'))
		await machine.perform(await claimed('stills'))
		await world.deps((d) =>
			d.db.all(
				"update tasks set result = json_remove(result, '$.placeholder') where kind = 'stills' and state = 'done' returning id",
			),
		)
		await machine.drain()
		expect(await recordOf(playbackId)).toMatchObject({ width: 1280, placeholder: null })
	})

	test.each(['', 'short', 'not base64!!', 'A'.repeat(60), 7])(
		'the poster placeholder %j of a faulty machine is rejected',
		async (placeholder) => {
			const { assetId } = await studio.upload()
			await studio.start(assetId)
			await machine.perform(await claimed('inspect'))
			const task = await claimed('stills')
			const { result } = await machine.work(task)
			const forged = { ...result, placeholder } as typeof result
			expect((await machine.complete(task, forged)).status).toBe(400)
		},
	)
})
