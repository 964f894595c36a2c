import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import { deleteHighlight, listHighlights, updateHighlight } from '#schema/contract/video/ai/highlights.ts'
import { deleteAsset, updateAsset } from '#schema/contract/video/assets.ts'
import { runAiSteps } from '#schema/contract/video/transcoding.ts'
import { DAY, MINUTE } from '../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { randomFrom } from '../../support/shared/random.ts'
import { openMachine } from '../transcoding/fake-machine.ts'
import { aFilm } from '../transcoding/sources.ts'
import { openStudio } from '../transcoding/transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
})

const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }
/** Each part is one chunk for the machines; the words of a chunk take equally long. */
/** Words without meaning, of which none stands out. */
function plainText(seed: number): string {
	const random = randomFrom(seed)
	const letter = () => 'bcdfghjklmnprstvwz'[Math.floor(random() * 18)]
	const vowel = () => 'aeiou'[Math.floor(random() * 5)]
	const word = () => `${letter()}${vowel()}${letter()}${vowel()}${letter()}`
	return Array.from({ length: 18 }, () => `${Array.from({ length: 10 }, word).join(' ')}.`).join(' ')
}
const striking = [
	'So why did the bridge fall?',
	'It fell because of one bolt, the smallest of 4000!',
	'Nobody had checked that bolt for 30 years!',
	'Remember: the worst mistake on a bridge is never the biggest bolt.',
	'Is that not the most important truth about any bridge or bolt?',
].join(' ')
const SECONDS = 240
const partsOf = (text: string) => [
	{ fromMs: 1_000, toMs: 90_000, text: plainText(1) },
	{ fromMs: 94_000, toMs: 118_000, text },
	{ fromMs: 119_000, toMs: 208_000, text: plainText(2) },
]
const spoken = partsOf(striking)

const openHearing = () => openMachine(world, { info: aFilm(SECONDS), spoken }, 'hearing', ['libx264'], speech)
type Machine = Awaited<ReturnType<typeof openHearing>>

async function work(machine: Machine) {
	for (let round = 0; round < 5; round++) {
		await machine.drain()
		await world.deliver()
	}
}

async function processed(machine: Machine) {
	const video = await studio.upload()
	await studio.start(video.assetId)
	await work(machine)
	return video
}

/** Works until the clip is the next task, and claims it. */
async function untilClip(machine: Machine) {
	for (let round = 0; round < 60; round++) {
		const task = await machine.claim()
		if (task?.spec.kind === 'clip') return task
		if (task) await machine.perform(task)
		else await world.deliver()
	}
	throw new Error('there is no clip to make')
}

const shown = async (playbackId: string, token?: string) =>
	(await world.ask(listHighlights, { params: { playbackId }, ...(token && { query: { token } }) })).ok.data
const get = (url: string) => world.fetch(new Request(url))
const clipKeys = async () =>
	(await env.MEDIA.list()).objects.map(({ key }) => key).filter((key) => key.includes('/highlights/'))
const rerun = (assetId: string, force?: boolean) =>
	world.ask(
		runAiSteps,
		{ params: { assetId }, body: { steps: ['highlights'], ...(force && { force }) } },
		ada,
	)
const mediaBytes = async (assetId: string) =>
	world.deps(async ({ db }) => {
		const [row] = await db.all<{ bytes: number }>(
			`select media_bytes as bytes from assets where id = '${assetId}'` as never,
		)
		return row?.bytes ?? 0
	})

test('are parts that stand out, each with a clip of its own as HLS and MP4', async () => {
	const { assetId, playbackId } = await processed(await openHearing())
	const { aiJob, highlights } = await studio.asset(assetId)
	expect(aiJob?.highlightsStatus).toBe('completed')
	expect(highlights).toEqual([
		{
			id: expect.stringMatching(/^hlt_/),
			title: expect.stringMatching(/bridge|bolt/i),
			description: expect.stringContaining('So why did the bridge fall?'),
			startTime: 93.8,
			endTime: expect.any(Number),
			score: expect.any(Number),
			reasons: expect.arrayContaining(['emphasis', 'pause']),
			status: 'ready',
		},
	])
	const [highlight] = highlights
	const [clip] = await shown(playbackId)
	expect(clip).toMatchObject({ id: highlight?.id, title: highlight?.title, startTime: 93.8 })
	const playlist = await (await get(clip?.manifestUrl ?? '')).text()
	expect(playlist).toContain('#EXT-X-MAP:URI="clip.mp4",BYTERANGE="4@0"')
	const seconds = (highlight?.endTime ?? 0) - 93.8
	const listed = /#EXTINF:([\d.]+),\n#EXT-X-BYTERANGE:(\d+)@4\nclip\.mp4\n#EXT-X-ENDLIST/.exec(playlist)
	expect(Number(listed?.[1])).toBeCloseTo(seconds, 1)
	const file = await (await get(clip?.clipUrl ?? '')).text()
	expect(file).toHaveLength(4 + Number(listed?.[2]))
	// The machine read the segments that contain the part, and no others: each of them is its own name.
	expect(file).toMatch(/init of h264-720p by libx264h264-720p 23h264-720p 24/)
	expect(file).toMatch(/init of a0a0 23a0 24/)
	expect(file).not.toContain('h264-720p 22')
	expect((await get(clip?.posterUrl ?? '')).headers.get('content-type')).toBe('image/jpeg')
})

test('of a video in which nothing stands out are none', async () => {
	const flat = partsOf(plainText(3).split('. ', 5).join('. '))
	const machine = await openMachine(
		world,
		{ info: aFilm(SECONDS), spoken: flat },
		'flat',
		['libx264'],
		speech,
	)
	const { assetId, playbackId } = await processed(machine)
	const { aiJob, highlights } = await studio.asset(assetId)
	expect(aiJob).toMatchObject({
		highlightsStatus: 'skipped',
		reasons: { highlights: 'No part of this video stands out from the rest.' },
	})
	expect([highlights, await shown(playbackId)]).toEqual([[], []])
})

test('are hidden with their files, if the organization does not show them', async () => {
	const { assetId, playbackId } = await processed(await openHearing())
	const [clip] = await shown(playbackId)
	const hide = (showHighlights: boolean) =>
		world.ask(updateAsset, { params: { assetId }, body: { publicSettings: { showHighlights } } }, ada)
	await hide(false)
	expect(await shown(playbackId)).toEqual([])
	for (const url of [clip?.manifestUrl, clip?.clipUrl, clip?.posterUrl])
		expect((await get(url ?? '')).status).toBe(404)
	await hide(true)
	expect((await get(clip?.clipUrl ?? '')).status).toBe(200)
})

test('of a signed video need its token, in the addresses of the clip too', async () => {
	const { assetId, playbackId } = await processed(await openHearing())
	await world.ask(updateAsset, { params: { assetId }, body: { visibility: 'signed' } }, ada)
	expect((await world.ask(listHighlights, { params: { playbackId } })).status).toBe(403)
	const [clip] = (await world.ask(listHighlights, { params: { playbackId } }, ada)).ok.data
	expect((await get(clip?.clipUrl ?? '')).status).toBe(200)
	expect((await get((clip?.clipUrl ?? '').replace(/~[^/]+\//, ''))).status).toBe(403)
})

test('keep what a person wrote, and stay deleted, unless force is sent', async () => {
	const machine = await openHearing()
	const { assetId, playbackId } = await processed(machine)
	const [made] = (await studio.asset(assetId)).highlights
	const params = { assetId, highlightId: made?.id ?? '' }
	const change = { title: 'The bolt', description: 'How it fell.' }
	const { data } = (await world.ask(updateHighlight, { params, body: change }, ada)).ok
	expect(data).toEqual({ ...made, ...change })
	expect((await rerun(assetId)).status).toBe(409)
	await studio.start(assetId)
	await work(machine)
	expect(await shown(playbackId)).toMatchObject([{ id: made?.id, ...change }])
	expect((await studio.asset(assetId)).aiJob?.reasons.highlights).toContain('force')

	const before = await mediaBytes(assetId)
	expect((await world.ask(deleteHighlight, { params }, ada)).ok.data).toEqual({
		id: made?.id,
		deleted: true,
	})
	expect(await mediaBytes(assetId)).toBeLessThan(before)
	expect([(await studio.asset(assetId)).highlights, await shown(playbackId)]).toEqual([[], []])
	for (const again of [
		await world.ask(deleteHighlight, { params }, ada),
		await world.ask(updateHighlight, { params, body: change }, ada),
	])
		expect(again.status).toBe(404)
	expect((await rerun(assetId)).status).toBe(409)
	world.pass(6 * MINUTE)
	await world.cron('* * * * *')
	await world.deliver()
	expect(await clipKeys()).toEqual([])

	expect((await rerun(assetId, true)).ok.data.aiJob.highlightsStatus).toBe('processing')
	await work(machine)
	expect(await shown(playbackId)).toMatchObject([{ title: made?.title }])
})

test('fail alone when the machine gives up, and the transcript stays', async () => {
	const machine = await openHearing()
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await machine.fail(await untilClip(machine), 'permanent', 'no')
	await world.deliver()
	const { aiJob, highlights, job } = await studio.asset(assetId)
	expect(aiJob).toMatchObject({ highlightsStatus: 'failed', transcriptionStatus: 'completed' })
	expect([highlights[0]?.status, job?.status]).toEqual(['failed', 'completed'])
})

test('end the wait for a machine that does not come back', async () => {
	const machine = await openHearing()
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await untilClip(machine)
	world.pass(2 * DAY + 10 * MINUTE)
	await world.cron('* * * * *')
	const later = { ...ada, token: await world.logIn(ada) }
	const { aiJob, highlights } = await studio.asset(assetId, later)
	expect(aiJob?.reasons.highlights).toContain('24 hours')
	expect(highlights.map(({ status }) => status)).toEqual(['failed'])
})

test('are made once when every message comes twice', async () => {
	const machine = await openHearing()
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	for (let round = 0; round < 5; round++) {
		await machine.drain()
		const batch = world.messages.splice(0)
		await world.deliver([...batch])
		await world.deliver([...batch])
	}
	expect(await shown(playbackId)).toHaveLength(1)
	expect((await clipKeys()).filter((key) => key.endsWith('clip.mp4'))).toHaveLength(1)
	expect((await studio.asset(assetId)).aiJob?.highlightsStatus).toBe('completed')
})

test('keep no file of a lease that another machine took over', async () => {
	const machine = await openHearing()
	const { assetId, playbackId } = await studio.upload()
	await studio.start(assetId)
	const lost = await untilClip(machine)
	const made = await machine.work(lost)
	await machine.put(lost, made.objects)
	world.pass(10 * MINUTE)
	await world.cron('* * * * *')
	await work(machine)
	expect((await machine.complete(lost, made.result)).status).toBe(409)
	world.pass(10 * MINUTE)
	await world.cron('* * * * *')
	await world.deliver()
	expect(await shown(playbackId)).toHaveLength(1)
	expect(new Set((await clipKeys()).map((key) => key.split('/').at(-2))).size).toBe(1)
})

test('end with their asset, files and all', async () => {
	const machine = await openHearing()
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const task = await untilClip(machine)
	await world.ask(deleteAsset, { params: { assetId } }, ada)
	await world.deliver()
	expect((await machine.complete(task, (await machine.work(task)).result)).status).toBe(410)
	expect((await env.MEDIA.list()).objects).toEqual([])
	const rows = await world.deps((d) => d.db.all('select id from highlights' as never))
	expect(rows).toEqual([])
})
