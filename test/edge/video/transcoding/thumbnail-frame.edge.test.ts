import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAsset, resetThumbnail, restoreAsset, setThumbnail } from '#schema/contract/video/assets.ts'
import { makeThumbnail } from '#schema/contract/video/processing/thumbnail-frame.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { findFrameAt } from '../../../../edge/video/transcoding/posters/poster-frame.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { wholePng } from '../../../support/shared/whole-pictures.ts'
import { type FakeMachine, openMachine } from './fake-machine.ts'
import { aFilm } from './sources.ts'
import { openStudio } from './transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
let machine: FakeMachine
let assetId: string
let playbackId: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
	machine = await openMachine(world, { info: aFilm(10) })
	;({ assetId, playbackId } = await studio.upload())
	await studio.start(assetId)
	await machine.drain()
})

const request = (atSec: number) => world.ask(makeThumbnail, { params: { assetId }, body: { atSec } }, ada)
const upload = () => world.ask(setThumbnail, { params: { assetId } }, { ...ada, bytes: wholePng })
const remove = () => world.ask(resetThumbnail, { params: { assetId } }, ada)
const tasks = () => world.deps((d) => d.db.all("select state from tasks where kind = 'poster'"))
const thumbnailKeys = async () =>
	(await env.MEDIA.list()).objects.map(({ key }) => key).filter((key) => key.includes('/thumbnails/'))
async function claim() {
	const task = await machine.claim()
	if (task?.spec.kind !== 'poster') throw new Error(`${task?.spec.kind} instead of a poster`)
	return { task, spec: task.spec }
}
async function purge() {
	world.pass(10 * 60_000)
	await world.cron('* * * * *')
	await world.deliver()
}
const currentText = async () => {
	const { thumbnailUrl } = (await world.ask(getPlayback, { params: { playbackId } })).ok.data
	return (await world.fetch(new Request(thumbnailUrl))).text()
}

test('the frame at a moment is the one that is shown then, also where it begins', () => {
	const ntsc = { num: 30_000, den: 1_001 }
	expect([0, 1, 1_001 / 30_000, 0.0333].map((sec) => findFrameAt(sec, ntsc))).toEqual([0, 29, 1, 0])
	expect(findFrameAt(2.2, { num: 25, den: 1 })).toBe(55)
})

describe('a custom thumbnail of a frame', () => {
	test('a requested frame becomes the thumbnail when a machine has made it, and repetitions change nothing', async () => {
		const before = (await studio.asset(assetId)).thumbnailUrl
		const answers = await Promise.all([request(4), request(4)])
		for (const { status, ok } of answers) {
			expect([status, ok.data.thumbnailFrame]).toEqual([202, { atSec: 4, status: 'processing' }])
			expect(ok.data.thumbnailUrl).toBe(before)
		}
		expect(await tasks()).toEqual([{ state: 'queued' }])
		const { task, spec } = await claim()
		const { num, den } = spec.fps
		expect([spec.frame, spec.video.length]).toEqual([Math.floor((4 * num) / den), 2])
		expect((await machine.perform(task)).status).toBe(200)
		expect((await request(4)).ok.data).toMatchObject({
			hasCustomThumbnail: true,
			thumbnailFrame: { atSec: 4, status: 'ready' },
		})
		expect((await studio.asset(assetId)).thumbnailUrl).not.toBe(before)
		expect(await machine.claim()).toBeNull()
		expect(await currentText()).toContain(`frame ${spec.frame} of`)
	})

	test('a moment after the end gets 400, and an asset that is being processed gets 409', async () => {
		const late = await request(10.5)
		expect([late.status, late.error]).toEqual([400, 'atSec: this video has no frame at 10.5 s'])
		expect((await request(-1)).status).toBe(400)
		await studio.start(assetId)
		expect((await request(1)).status).toBe(409)
		expect(await tasks()).toEqual([])
	})

	test('an upload or a removal ends the request: its machine gets 410, and its files are deleted', async () => {
		for (const replace of [upload, remove]) {
			await request(2)
			const { task } = await claim()
			const { result, objects } = await machine.work(task)
			await machine.put(task, objects)
			expect((await replace()).ok.data.thumbnailFrame).toBeNull()
			expect((await machine.complete(task, result)).status).toBe(410)
			expect(await tasks()).toEqual([])
			await purge()
			expect((await thumbnailKeys()).filter((key) => key.includes(task.id))).toEqual([])
		}
	})

	test('a later request replaces the earlier one, and the thumbnail of the earlier one stays until then', async () => {
		await request(2)
		await machine.perform((await claim()).task)
		const first = (await studio.asset(assetId)).thumbnailUrl
		await request(6)
		const replaced = (await claim()).task
		await request(8)
		expect((await machine.heartbeat(replaced)).status).toBe(410)
		expect((await studio.asset(assetId)).thumbnailUrl).toBe(first)
		await machine.perform((await claim()).task)
		expect((await studio.asset(assetId)).thumbnailFrame).toEqual({ atSec: 8, status: 'ready' })
		await purge()
		expect(await thumbnailKeys()).toHaveLength(1)
	})

	test('a machine that fails finally leaves the earlier thumbnail, and the frame can be requested again', async () => {
		await upload()
		const before = (await studio.asset(assetId)).thumbnailUrl
		await request(2)
		await machine.fail((await claim()).task, 'permanent')
		const asset = await studio.asset(assetId)
		expect([asset.status, asset.thumbnailUrl]).toEqual(['ready', before])
		expect(asset.thumbnailFrame).toEqual({ atSec: 2, status: 'failed' })
		expect((await request(2)).ok.data.thumbnailFrame?.status).toBe('processing')
	})

	test('a request that waits survives reprocessing, and its image the next one', async () => {
		await request(3)
		await studio.start(assetId)
		for (let task = await machine.claim({ kinds: ['inspect'] }); task; task = null)
			await machine.perform(task)
		const kinds = ['video', 'audio', 'stills'] as const
		for (let task = await machine.claim({ kinds: [...kinds] }); task; )
			task = (await machine.perform(task)) && (await machine.claim({ kinds: [...kinds] }))
		expect((await studio.asset(assetId)).status).toBe('ready')
		await purge()
		await machine.perform((await claim()).task)
		await studio.start(assetId)
		await machine.drain()
		await purge()
		expect((await studio.asset(assetId)).thumbnailFrame).toEqual({ atSec: 3, status: 'ready' })
		expect(await currentText()).toContain('frame')
	})

	test('moving an asset to the trash ends its request', async () => {
		await request(3)
		const { task } = await claim()
		expect(
			(await world.ask(deleteAsset, { params: { assetId }, query: { trash: 'true' } }, ada)).status,
		).toBe(200)
		expect((await machine.heartbeat(task)).status).toBe(410)
		await world.ask(restoreAsset, { params: { assetId } }, ada)
		expect((await studio.asset(assetId)).thumbnailFrame).toBeNull()
		expect(await tasks()).toEqual([])
	})
})
