import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { deleteHighlight } from '#schema/contract/ai/highlights.ts'
import { DAY, MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openHighlightStudio } from './highlight-studio.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openHighlightStudio>
type Machine = Awaited<ReturnType<typeof studio.openHearing>>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openHighlightStudio(world, ada)
})

/** Starts a video and works until its clip is leased, with its files stored. */
async function untilClipStored(machine: Machine) {
	const video = await studio.upload()
	await studio.start(video.assetId)
	const task = await studio.untilClip(machine)
	const { objects, result } = await machine.work(task)
	await machine.put(task, objects)
	return { ...video, task, result }
}

test('a clip fails alone when the machine gives up, without files, and the transcript stays', async () => {
	const machine = await studio.openHearing()
	const { assetId, task } = await untilClipStored(machine)
	await machine.fail(task, 'permanent', 'no')
	await world.deliver()
	const { aiJob, highlights, job } = await studio.asset(assetId)
	expect(aiJob).toMatchObject({ highlightsStatus: 'failed', transcriptionStatus: 'completed' })
	expect([highlights[0]?.status, job?.status]).toEqual(['failed', 'completed'])
	expect(await studio.clipKeys()).toEqual([])
})

test('clips end the wait for a lost machine, and leave no file', async () => {
	const { assetId } = await untilClipStored(await studio.openHearing())
	await studio.passAndSweep(2 * DAY + 10 * MINUTE)
	const later = { ...ada, token: await world.logIn(ada) }
	const { aiJob, highlights } = await studio.asset(assetId, later)
	expect(aiJob?.reasons.highlights).toBe(
		'no machine made the clips within two days; start one, then run the step again',
	)
	expect(highlights.map(({ status }) => status)).toEqual(['failed'])
	expect(await studio.clipKeys()).toEqual([])
})

test('clips made in time complete the step when others were not', { tags: 'd1' }, async () => {
	const { assetId } = await untilClipStored(await studio.openHearing())
	await world.deps((d) =>
		d.db.all(
			`insert into highlights (id, asset_id, org_id, title, description, start_ms, end_ms, score, reasons, status, task_id, clip_bytes, has_poster, created_at) select substr(id, 1, length(id) - 4) || '0000', asset_id, org_id, title, description, 0, 15000, score, reasons, 'ready', 'tsk_made', 0, 0, 0 from highlights` as never,
		),
	)
	await studio.passAndSweep(2 * DAY + 10 * MINUTE)
	const { aiJob, highlights } = await studio.asset(assetId, { ...ada, token: await world.logIn(ada) })
	expect(aiJob?.highlightsStatus).toBe('completed')
	expect(highlights.map(({ status }) => status)).toEqual(['ready', 'failed'])
})

test('the highlights step waits while a machine makes a clip, however late', { tags: 'd1' }, async () => {
	const first = await studio.openHearing()
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await first.release(await studio.untilClip(first))
	world.pass(2 * DAY + 10 * MINUTE)
	const machine = await studio.openHearing()
	const task = await studio.untilClip(machine)
	const later = { ...ada, token: await world.logIn(ada) }
	const status = async () => (await studio.asset(assetId, later)).aiJob?.highlightsStatus
	await studio.passAndSweep(0)
	expect(await status()).toBe('processing')
	await machine.perform(task)
	await world.deliver()
	expect(await status()).toBe('completed')
})

test('deleting a highlight ends the task of its clip', { tags: 'd1' }, async () => {
	const machine = await studio.openHearing()
	const { assetId, task, result } = await untilClipStored(machine)
	const [highlight] = (await studio.asset(assetId)).highlights
	const before = await studio.mediaBytes(assetId)
	await world.ask(deleteHighlight, { params: { assetId, highlightId: highlight?.id ?? '' } }, ada)
	expect((await machine.complete(task, result)).status).toBe(410)
	await studio.passAndSweep(6 * MINUTE)
	expect(await studio.clipKeys()).toEqual([])
	expect(await studio.mediaBytes(assetId)).toBe(before)
	expect((await studio.asset(assetId)).aiJob?.highlightsStatus).toBe('completed')
})

test('a clip that no highlight shows leaves no file', { tags: 'd1' }, async () => {
	const machine = await studio.openHearing()
	const { task, result } = await untilClipStored(machine)
	await world.deps((d) => d.db.all('delete from highlights' as never))
	expect((await machine.complete(task, result)).status).toBe(200)
	await world.deliver()
	expect(await studio.clipKeys()).toEqual([])
})

test('clips can be made again long after the rows of the tasks were deleted', { tags: 'd1' }, async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.processed(machine)
	const [first] = await studio.shown(playbackId)
	world.pass(40 * DAY)
	await world.cron('17 3 * * *')
	const rows = await world.deps((d) => d.db.all("select id from tasks where kind = 'video'" as never))
	expect(rows).toEqual([])
	const later = { ...ada, token: await world.logIn(ada) }
	expect((await studio.rerun(assetId, false, later)).status).toBe(200)
	await studio.work(await studio.openHearing())
	const [again] = await studio.shown(playbackId)
	expect(again?.id).not.toBe(first?.id)
	const file = await (await world.fetch(new Request(again?.clipUrl ?? ''))).text()
	expect(file).toMatch(/init of h264-180p by libx264h264-180p 7h264-180p 8.*init of a0a0 7a0 8/)
	expect(file).not.toContain('h264-180p 6')
})

test('existing highlights stay when their clips can’t be made again', { tags: 'd1' }, async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.processed(machine)
	const before = await studio.shown(playbackId)
	const playlist = (await env.MEDIA.list()).objects.find(({ key }) => key.endsWith('/h264-180p.m3u8'))
	await env.MEDIA.delete(playlist?.key ?? '')
	expect((await studio.rerun(assetId)).ok.data.aiJob).toMatchObject({
		highlightsStatus: 'failed',
		reasons: { highlights: expect.stringContaining('not complete') },
	})
	expect(await machine.claim()).toBeNull()
	expect(await studio.shown(playbackId)).toEqual(before)
	expect(before).toHaveLength(1)
})

test('a clip ends with a video that is shorter than announced', { tags: 'd1' }, async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.processed(machine)
	const key = (await env.MEDIA.list()).objects.find((object) => object.key.endsWith('/h264-180p.m3u8'))?.key
	const text = await (await env.MEDIA.get(key ?? ''))?.text()
	// 9 segments of 4 s.
	await env.MEDIA.put(key ?? '', text?.split('#EXTINF').slice(0, 10).join('#EXTINF') ?? '')
	expect((await studio.rerun(assetId)).status).toBe(200)
	await studio.work(machine)
	expect((await studio.asset(assetId)).highlights).toMatchObject([{ startTime: 29.8, status: 'ready' }])
	const [clip] = await studio.shown(playbackId)
	const playlist = await (await world.fetch(new Request(clip?.manifestUrl ?? ''))).text()
	expect(Number(/#EXTINF:([\d.]+)/.exec(playlist)?.[1])).toBeCloseTo(36 - 29.8, 2)
})

test('clips are made once when every message arrives twice', async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	for (let round = 0; round < 5; round++) {
		await machine.drain()
		const batch = world.messages.splice(0)
		await world.deliver([...batch])
		await world.deliver([...batch])
	}
	expect(await studio.shown(playbackId)).toHaveLength(1)
	expect((await studio.clipKeys()).filter((key) => key.endsWith('clip.mp4'))).toHaveLength(1)
	expect((await studio.asset(assetId)).aiJob?.highlightsStatus).toBe('completed')
})

test('a clip keeps no file of a lease that another machine took over', { tags: 'd1' }, async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	const lost = await studio.untilClip(machine)
	const made = await machine.work(lost)
	await machine.put(lost, made.objects)
	world.pass(10 * MINUTE)
	await world.cron('* * * * *')
	await studio.work(machine)
	expect((await machine.complete(lost, made.result)).status).toBe(409)
	await studio.passAndSweep(10 * MINUTE)
	expect(await studio.shown(playbackId)).toHaveLength(1)
	expect(new Set((await studio.clipKeys()).map((key) => key.split('/').at(-2))).size).toBe(1)
})
