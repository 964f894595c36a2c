import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { deleteHighlight, listHighlights, updateHighlight } from '#schema/contract/ai/highlights.ts'
import { deleteAsset, updateAsset } from '#schema/contract/video/assets.ts'
import { MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openHighlightStudio, plainText, spokenParts } from './highlight-studio.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openHighlightStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openHighlightStudio(world, ada)
})

const get = (url: string) => world.fetch(new Request(url))

test('each highlight gets a clip of its own as HLS and MP4', { tags: 'd1' }, async () => {
	const { assetId, playbackId } = await studio.processed(await studio.openHearing())
	const { aiJob, highlights } = await studio.asset(assetId)
	expect(aiJob?.highlightsStatus).toBe('completed')
	expect(highlights).toEqual([
		{
			id: expect.stringMatching(/^hlt_/),
			title: expect.stringMatching(/bridge|bolt/i),
			description: expect.stringContaining('So why did the bridge fall?'),
			startTime: 29.8,
			endTime: expect.any(Number),
			score: expect.any(Number),
			reasons: expect.arrayContaining(['emphasis', 'pause']),
			status: 'ready',
		},
	])
	const [highlight] = highlights
	const [clip] = await studio.shown(playbackId)
	expect(clip).toMatchObject({ id: highlight?.id, title: highlight?.title, startTime: 29.8 })
	const playlist = await (await get(clip?.manifestUrl ?? '')).text()
	expect(playlist).toContain('#EXT-X-MAP:URI="clip.mp4",BYTERANGE="4@0"')
	const seconds = (highlight?.endTime ?? 0) - 29.8
	const listed = /#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@4\nclip\.mp4\n#EXT-X-ENDLIST/.exec(playlist)
	expect(Number(listed?.[1])).toBeCloseTo(seconds, 1)
	const file = await (await get(clip?.clipUrl ?? '')).text()
	expect(file).toHaveLength(4 + Number(listed?.[2]))
	// The machine read the segments that contain the part, and no others: each of them is its own name.
	expect(file).toMatch(/init of h264-180p by libx264h264-180p 7h264-180p 8/)
	expect(file).toMatch(/init of a0a0 7a0 8/)
	expect(file).not.toContain('h264-180p 6')
	expect((await get(clip?.posterUrl ?? '')).headers.get('content-type')).toBe('image/jpeg')
})

test('a video in which nothing stands out gets no highlights', { tags: 'd1' }, async () => {
	const flat = spokenParts(plainText(3, 5))
	const machine = await studio.openHearing({ spoken: flat })
	const { assetId, playbackId } = await studio.processed(machine)
	const { aiJob, highlights } = await studio.asset(assetId)
	expect(aiJob).toMatchObject({
		highlightsStatus: 'skipped',
		reasons: { highlights: 'no part of this video stands out from the rest' },
	})
	expect([highlights, await studio.shown(playbackId)]).toEqual([[], []])
})

test('highlights and their files are hidden if the asset does not show them', { tags: 'd1' }, async () => {
	const { assetId, playbackId } = await studio.processed(await studio.openHearing())
	const [clip] = await studio.shown(playbackId)
	const hide = (showHighlights: boolean) =>
		world.ask(updateAsset, { params: { assetId }, body: { publicSettings: { showHighlights } } }, ada)
	await hide(false)
	expect(await studio.shown(playbackId)).toEqual([])
	for (const url of [clip?.manifestUrl, clip?.clipUrl, clip?.posterUrl])
		expect((await get(url ?? '')).status).toBe(404)
	await hide(true)
	expect((await get(clip?.clipUrl ?? '')).status).toBe(200)
})

test('highlights of a signed video need its token, even in the URLs of the clip', {
	tags: 'd1',
}, async () => {
	const { assetId, playbackId } = await studio.processed(await studio.openHearing())
	await world.ask(updateAsset, { params: { assetId }, body: { visibility: 'signed' } }, ada)
	expect((await world.ask(listHighlights, { params: { playbackId } })).status).toBe(403)
	const [clip] = (await world.ask(listHighlights, { params: { playbackId } }, ada)).ok.data
	expect((await get(clip?.clipUrl ?? '')).status).toBe(200)
	expect((await get((clip?.clipUrl ?? '').replace(/~[^/]+\//, ''))).status).toBe(403)
})

test('highlights that a person edited or deleted stay so, unless force is sent', async () => {
	const machine = await studio.openHearing()
	const { assetId, playbackId } = await studio.processed(machine)
	const [made] = (await studio.asset(assetId)).highlights
	const params = { assetId, highlightId: made?.id ?? '' }
	const change = { title: 'The bolt', description: 'How it fell.' }
	const { data } = (await world.ask(updateHighlight, { params, body: change }, ada)).ok
	expect(data).toEqual({ ...made, ...change })
	expect((await studio.rerun(assetId)).status).toBe(409)
	await studio.start(assetId)
	await studio.work(machine)
	expect(await studio.shown(playbackId)).toMatchObject([{ id: made?.id, ...change }])
	expect((await studio.asset(assetId)).aiJob?.reasons.highlights).toContain('force')

	const before = await studio.mediaBytes(assetId)
	expect((await world.ask(deleteHighlight, { params }, ada)).ok.data).toEqual({
		id: made?.id,
		deleted: true,
	})
	expect(await studio.mediaBytes(assetId)).toBeLessThan(before)
	expect([(await studio.asset(assetId)).highlights, await studio.shown(playbackId)]).toEqual([[], []])
	for (const again of [
		await world.ask(deleteHighlight, { params }, ada),
		await world.ask(updateHighlight, { params, body: change }, ada),
	])
		expect(again.status).toBe(404)
	expect((await studio.rerun(assetId)).status).toBe(409)
	await studio.passAndSweep(6 * MINUTE)
	expect(await studio.clipKeys()).toEqual([])

	expect((await studio.rerun(assetId, true)).ok.data.aiJob.highlightsStatus).toBe('processing')
	await studio.work(machine)
	expect(await studio.shown(playbackId)).toMatchObject([{ title: made?.title }])
})

test('deleting an asset deletes its highlights and all their files', { tags: 'd1' }, async () => {
	const machine = await studio.openHearing()
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const task = await studio.untilClip(machine)
	await world.ask(deleteAsset, { params: { assetId } }, ada)
	await world.deliver()
	expect((await machine.complete(task, (await machine.work(task)).result)).status).toBe(410)
	expect((await env.MEDIA.list()).objects).toEqual([])
	const rows = await world.deps((d) => d.db.all('select id from highlights' as never))
	expect(rows).toEqual([])
})

test('highlights are removed with the transcript, except those that a person changed', {
	tags: 'd1',
}, async () => {
	const { assetId, playbackId } = await studio.processed(await studio.openHearing())
	const before = await studio.mediaBytes(assetId)
	await studio.removeTranscript(assetId)
	await world.deliver()
	expect([(await studio.asset(assetId)).highlights, await studio.shown(playbackId)]).toEqual([[], []])
	expect(await studio.mediaBytes(assetId)).toBeLessThan(before)
	await studio.passAndSweep(6 * MINUTE)
	expect(await studio.clipKeys()).toEqual([])

	const changed = await studio.processed(await studio.openHearing())
	const [made] = (await studio.asset(changed.assetId)).highlights
	const params = { assetId: changed.assetId, highlightId: made?.id ?? '' }
	await world.ask(updateHighlight, { params, body: { title: 'The bolt' } }, ada)
	await studio.removeTranscript(changed.assetId)
	await world.deliver()
	expect(await studio.shown(changed.playbackId)).toMatchObject([{ title: 'The bolt' }])
})

test('remaking highlights without a transcript removes them', { tags: 'd1' }, async () => {
	const { assetId, playbackId } = await studio.processed(await studio.openHearing())
	await studio.removeTranscript(assetId)
	const { aiJob } = (await studio.rerun(assetId)).ok.data
	expect(aiJob).toMatchObject({
		highlightsStatus: 'skipped',
		reasons: { highlights: 'it needs a transcript, and there is none' },
	})
	expect(await studio.shown(playbackId)).toEqual([])
})
