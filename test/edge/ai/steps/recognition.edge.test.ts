import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { suspendOrg, unsuspendOrg } from '#schema/contract/accounts/suspension.ts'
import { getChapters, replaceChapters } from '#schema/contract/ai/chapters.ts'
import { getTranscript, replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { deleteAsset } from '#schema/contract/video/assets.ts'
import { processAsset, runAiSteps } from '#schema/contract/video/transcoding.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { DAY, MINUTE } from '../../../../edge/platform/clock.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { openMachine } from '../../video/transcoding/fake-machine.ts'
import { aSmallFilm } from '../../video/transcoding/sources.ts'
import { openStudio } from '../../video/transcoding/transcoding-fixture.ts'

let world: World
let ada: Person
let studio: ReturnType<typeof openStudio>
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	studio = openStudio(world, ada)
})

const speech = { engine: 'whisper-cli', languages: ['*'], realTimeFactor: 0.2 }
const spoken = [
	{ fromMs: 1_000, toMs: 9_000, text: 'Bread needs flour and water.' },
	{ fromMs: 12_000, toMs: 20_000, text: 'Then it rests for an hour.' },
]

const openHearing = (parts = spoken) =>
	openMachine(world, { info: aSmallFilm(30), spoken: parts }, 'hearing', ['libx264'], speech)
const transcriptOf = async (assetId: string) =>
	(await world.ask(getTranscript, { params: { assetId } }, ada)).ok.data.transcript
const aiEvents = () =>
	world.deps((d) =>
		d.db.all<{ type: string }>("select type from outbox where type like 'ai.%' order by sequence"),
	)
const chunkKeys = async () =>
	(await env.VAULT.list()).objects.map(({ key }) => key).filter((key) => key.includes('/chunk-'))

/** Processes a video, and lets the machine do all that follows. */
async function processed(machine: { drain(): Promise<unknown> }) {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await work(machine)
	return assetId
}

/** A plan, chunks and their text follow each other. */
async function work(machine: { drain(): Promise<unknown> }) {
	for (let round = 0; round < 4; round++) {
		await machine.drain()
		await world.deliver()
	}
}

test('a video is transcribed after it became ready, and no chunk is kept', { tags: 'd1' }, async () => {
	const assetId = await processed(await openHearing())
	expect((await studio.asset(assetId)).aiJob).toEqual({
		status: 'completed',
		transcriptionStatus: 'completed',
		subtitlesStatus: 'completed',
		chaptersStatus: 'completed',
		highlightsStatus: 'skipped',
		reasons: { highlights: expect.any(String) },
	})
	const { language, segments } = await transcriptOf(assetId)
	expect(language).toBe('en')
	expect(segments.map(({ start, end, text }) => ({ start, end, text }))).toEqual([
		{ start: 1, end: 9, text: 'Bread needs flour and water.' },
		{ start: 12, end: 20, text: 'Then it rests for an hour.' },
	])
	expect(await aiEvents()).toEqual([{ type: 'ai.completed' }])
	expect(await chunkKeys()).toEqual([])
})

test('skips transcription without a machine with a speech engine, and says what to install', {
	tags: 'd1',
}, async () => {
	const assetId = await processed(await openMachine(world, { info: aSmallFilm(30) }))
	const { aiJob, status } = await studio.asset(assetId)
	expect(status).toBe('ready')
	expect(aiJob).toMatchObject({ status: 'skipped', transcriptionStatus: 'skipped' })
	expect(aiJob?.reasons.transcription).toContain('PLAYHOUSE_ASR_COMMAND')
	expect(await aiEvents()).toEqual([{ type: 'ai.completed' }])
})

test('no engine is called for a video in which nobody speaks', { tags: 'd1' }, async () => {
	const machine = await openHearing([])
	const assetId = await processed(machine)
	expect((await studio.asset(assetId)).aiJob).toMatchObject({
		...{ transcriptionStatus: 'completed', subtitlesStatus: 'skipped' },
		reasons: { transcription: 'nobody speaks in this video' },
	})
	expect((await world.ask(getTranscript, { params: { assetId } }, ada)).status).toBe(404)
})

test('subtitles are made only on request, with the transcript or later', async () => {
	const { assetId } = await studio.upload()
	const aiOptions = { transcription: true, subtitles: false, chapters: false, highlights: false }
	await world.ask(processAsset, { params: { assetId }, body: { aiOptions } }, ada)
	await work(await openHearing())
	const { playbackId, aiJob } = await studio.asset(assetId)
	const subtitlesUrl = async () =>
		(await world.ask(getPlayback, { params: { playbackId } })).ok.data.ai.subtitlesUrl
	expect(aiJob).toMatchObject({ transcriptionStatus: 'completed', subtitlesStatus: 'skipped' })
	expect(await subtitlesUrl()).toBeNull()
	const run = () => world.ask(runAiSteps, { params: { assetId }, body: { steps: ['subtitles'] } }, ada)
	const answers = await Promise.all([run(), run()])
	expect(answers.map(({ ok }) => ok.data.aiJob.subtitlesStatus)).toEqual(['completed', 'completed'])
	expect(await subtitlesUrl()).toMatch(/\.vtt$/)
	const { objects } = await env.MEDIA.list()
	expect(objects.filter(({ key }) => key.endsWith('.vtt') && key.includes('/subtitles/'))).toHaveLength(1)
	expect((await studio.asset(assetId)).aiJob?.transcriptionStatus).toBe('completed')
})

test('no subtitles are made without a transcript', { tags: 'd1' }, async () => {
	const assetId = await processed(await openMachine(world, { info: aSmallFilm(30) }))
	const answer = await world.ask(runAiSteps, { params: { assetId }, body: { steps: ['subtitles'] } }, ada)
	expect(answer.ok.data.aiJob.subtitlesStatus).toBe('skipped')
})

describe('chapters', () => {
	const bread = 'Knead the bread dough, warm the oven, and feed the yeast starter with flour.'
	const moon = 'Point the telescope at the moon, where craters and planets fill the dark sky.'
	const topics = [bread, moon].flatMap((topic, part) => {
		const words = topic.slice(0, -1).split(/,? /)
		const say = (at: number) =>
			`${words.map((_, index) => words[(index * 5 + at) % words.length]).join(' ')}.`
		return Array.from({ length: 5 }, (_, at) => ({
			fromMs: (part * 70 + at * 14) * 1_000,
			toMs: (part * 70 + at * 14 + 13.5) * 1_000,
			text: [say(at), say(at + 5)].join(' '),
		}))
	})
	const openLongHearing = () =>
		openMachine(world, { info: aSmallFilm(150), spoken: topics }, 'hearing', ['libx264'], speech)
	const chaptersOf = async (assetId: string) =>
		(await world.ask(getChapters, { params: { assetId } }, ada)).ok.data.chapters
	const rerun = async (assetId: string, force?: boolean) =>
		world.ask(
			runAiSteps,
			{ params: { assetId }, body: { steps: ['chapters'], ...(force && { force }) } },
			ada,
		)

	test('chapters are generated from the recognized speech', { tags: 'd1' }, async () => {
		const assetId = await processed(await openLongHearing())
		expect((await studio.asset(assetId)).aiJob?.chaptersStatus).toBe('completed')
		expect((await chaptersOf(assetId)).map(({ startTime }) => startTime)).toEqual([0, 70])
	})

	test('chapters of a video without sound are its long shots, and none if it has no clear parts', async () => {
		const assetId = await processed(await openMachine(world, { info: { ...aSmallFilm(150), audio: [] } }))
		const withoutSound = { chaptersStatus: 'skipped', reasons: { chapters: 'the video has no sound' } }
		expect((await studio.asset(assetId)).aiJob).toMatchObject(withoutSound)
		const { objects } = await env.MEDIA.list()
		const { key } = objects.find((object) => object.key.endsWith('/storyboard.vtt')) ?? { key: '' }
		await env.MEDIA.put(key.replace('storyboard.vtt', 'shots.json'), JSON.stringify({ shots: [80] }))
		for (let i = 0; i < 2; i++) expect((await rerun(assetId)).ok.data.aiJob.chaptersStatus).toBe('completed')
		expect((await chaptersOf(assetId)).map(({ title, startTime }) => [title, startTime])).toEqual([
			['Part 1', 0],
			['Part 2', 80],
		])
	})

	test('chapters are generated only on request, which may come later', { tags: 'd1' }, async () => {
		const { assetId } = await studio.upload()
		const aiOptions = { transcription: true, subtitles: true, chapters: false, highlights: false }
		await world.ask(processAsset, { params: { assetId }, body: { aiOptions } }, ada)
		await work(await openLongHearing())
		const { aiJob } = await studio.asset(assetId)
		expect(aiJob).toMatchObject({ transcriptionStatus: 'completed', chaptersStatus: 'skipped' })
		expect(await chaptersOf(assetId)).toEqual([])
		expect((await rerun(assetId)).ok.data.aiJob.chaptersStatus).toBe('completed')
		expect(await chaptersOf(assetId)).toHaveLength(2)
	})

	test('chapters of a person stay, unless force is sent', { tags: 'd1' }, async () => {
		const machine = await openLongHearing()
		const assetId = await processed(machine)
		const mine = { chapters: [{ title: 'Mine', startTime: 0 }] }
		await world.ask(replaceChapters, { params: { assetId }, body: mine }, ada)
		expect((await rerun(assetId)).status).toBe(409)
		await studio.start(assetId)
		await work(machine)
		const { aiJob } = await studio.asset(assetId)
		expect([aiJob?.transcriptionStatus, aiJob?.chaptersStatus]).toEqual(['completed', 'skipped'])
		expect(aiJob?.reasons.chapters).toContain('force')
		expect(await chaptersOf(assetId)).toMatchObject([{ title: 'Mine' }])
		expect((await rerun(assetId, true)).ok.data.aiJob.chaptersStatus).toBe('completed')
		expect(await chaptersOf(assetId)).toHaveLength(2)
	})
})

test('assigns transcription only to machines that proved the engine', { tags: 'd1' }, async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const hearing = await openHearing()
	const deaf = await openMachine(world, { info: aSmallFilm(30), spoken }, 'deaf')
	await deaf.drain()
	await world.deliver()
	expect(await deaf.drain()).toEqual(['speech-plan'])
	await world.deliver()
	expect(await deaf.claim()).toBeNull()
	expect(await hearing.drain()).toEqual(['transcribe', 'transcribe'])
})

test('keeps an edited transcript, unless force is sent', { tags: 'd1' }, async () => {
	const machine = await openHearing()
	const assetId = await processed(machine)
	const transcript = { segments: [{ start: 2, end: 3, text: 'My own words.' }] }
	await world.ask(replaceTranscript, { params: { assetId }, body: { transcript } }, ada)
	const run = (force?: boolean) =>
		world.ask(
			runAiSteps,
			{ params: { assetId }, body: { steps: ['transcription'], ...(force && { force }) } },
			ada,
		)
	expect((await run()).status).toBe(409)
	await studio.start(assetId)
	await work(machine)
	expect((await transcriptOf(assetId)).text).toBe('My own words.')
	expect((await studio.asset(assetId)).aiJob?.reasons.transcription).toContain('force')
	expect((await run(true)).ok.data.aiJob.transcriptionStatus).toBe('pending')
	await work(machine)
	expect((await transcriptOf(assetId)).text).toContain('Bread')
})

test('keeps a transcript that a person sent during the transcription', { tags: 'd1' }, async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const machine = await openHearing()
	await machine.drain()
	await world.deliver()
	await machine.drain()
	const transcript = { segments: [{ start: 2, end: 3, text: 'My own words.' }] }
	await world.ask(replaceTranscript, { params: { assetId }, body: { transcript } }, ada)
	await work(machine)
	expect((await transcriptOf(assetId)).text).toBe('My own words.')
	expect((await studio.asset(assetId)).aiJob).toMatchObject({
		...{ transcriptionStatus: 'skipped', subtitlesStatus: 'completed' },
	})
})

test('fails the transcription alone when the machine gives up, and the video still plays', {
	tags: 'd1',
}, async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const machine = await openHearing()
	await machine.drain()
	await world.deliver()
	const task = await machine.claim()
	if (!task) throw new Error('nothing to do')
	await machine.fail(task, 'permanent', 'no')
	await world.deliver()
	const { status, aiJob, job } = await studio.asset(assetId)
	expect([status, job?.status]).toEqual(['ready', 'completed'])
	expect(aiJob).toMatchObject({ status: 'failed', transcriptionStatus: 'failed', subtitlesStatus: 'skipped' })
	expect(await aiEvents()).toEqual([{ type: 'ai.failed' }])
})

test('ends the wait for a lost machine after a day', { tags: 'd1' }, async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	await openHearing()
	const deaf = await openMachine(world, { info: aSmallFilm(30), spoken }, 'deaf')
	await deaf.drain()
	await world.deliver()
	await deaf.drain()
	await world.deliver()
	world.pass(DAY + 10 * MINUTE)
	await world.cron('* * * * *')
	const later = { ...ada, token: await world.logIn(ada) }
	expect((await studio.asset(assetId, later)).aiJob?.reasons.transcription).toContain('24 hours')
	expect(await chunkKeys()).not.toEqual([])
	await world.deliver()
	expect(await chunkKeys()).toEqual([])
})

describe('interruptions', () => {
	/** Lets an update of a row fail, as if the Worker died there. */
	const breakAt = (table: string, condition: string) =>
		world.deps((d) =>
			d.db.all(
				`create trigger broken before update on ${table} when ${condition} begin select raise(abort, 'broken'); end`,
			),
		)
	const repair = () => world.deps((d) => d.db.all('drop trigger broken'))
	const sweep = async () => {
		world.pass(6 * MINUTE)
		await world.cron('* * * * *')
		await world.deliver()
	}

	test('a forced run after an interruption keeps what a person edited after its transcript was stored', async () => {
		const machine = await openHearing()
		const assetId = await processed(machine)
		const body = { steps: ['transcription' as const], force: true }
		await world.ask(runAiSteps, { params: { assetId }, body }, ada)
		await breakAt('ai_steps', "new.step = 'transcription' and new.status = 'completed'")
		await work(machine)
		expect((await studio.asset(assetId)).aiJob?.transcriptionStatus).toBe('processing')
		const transcript = { segments: [{ start: 2, end: 3, text: 'My own words.' }] }
		await world.ask(replaceTranscript, { params: { assetId }, body: { transcript } }, ada)
		await repair()
		await sweep()
		expect((await studio.asset(assetId)).aiJob?.transcriptionStatus).toBe('skipped')
		expect((await transcriptOf(assetId)).text).toBe('My own words.')
	})

	test('a video that cannot be resumed does not stop the others', { tags: 'd1' }, async () => {
		const machine = await openHearing()
		const assetIds: string[] = []
		for (let film = 0; film < 2; film++) {
			const { assetId } = await studio.upload()
			assetIds.push(assetId)
			await studio.start(assetId)
		}
		await machine.drain()
		await world.deliver()
		await machine.drain()
		const [first, second] = assetIds
		await breakAt('assets', `new.id = '${first}' and new.transcript_key is not null`)
		await work(machine)
		// Its tasks are gone, so the sweep ends it at once.
		await world.deps((d) =>
			d.db.all(
				`update ai_steps set status = 'processing' where step = 'transcription' and asset_id = '${second}'`,
			),
		)
		await sweep()
		const stateOf = async (id = '', person = ada) =>
			(await studio.asset(id, person)).aiJob?.transcriptionStatus
		expect([await stateOf(first), await stateOf(second)]).toEqual(['processing', 'failed'])
		world.pass(DAY)
		await sweep()
		expect(await stateOf(first, { ...ada, token: await world.logIn(ada) })).toBe('failed')
	})
})

test('transcription resumes after a suspension that outlasted the wait for a machine', {
	tags: 'd1',
}, async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const machine = await openHearing()
	await machine.drain()
	await world.deliver()
	const params = { orgId: ada.orgId }
	const body = { reason: 'operator' as const }
	await world.ask(suspendOrg, { params, body }, ada)
	world.pass(DAY + 10 * MINUTE)
	await world.cron('* * * * *')
	// A sign-in during a suspension leads to no organization.
	await world.ask(unsuspendOrg, { params, body }, { ...ada, token: await world.logIn(ada) })
	const later = { ...ada, token: await world.logIn(ada) }
	await world.cron('* * * * *')
	expect((await studio.asset(assetId, later)).aiJob?.transcriptionStatus).toBe('pending')
	await work(await openHearing())
	expect((await studio.asset(assetId, later)).aiJob?.transcriptionStatus).toBe('completed')
})

test('makes one transcript when every message arrives twice', async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const machine = await openHearing()
	for (let round = 0; round < 4; round++) {
		await machine.drain()
		const batch = world.messages.splice(0)
		await world.deliver([...batch])
		await world.deliver([...batch])
	}
	expect((await transcriptOf(assetId)).segments).toHaveLength(2)
	expect(await aiEvents()).toEqual([{ type: 'ai.completed' }])
	const { objects } = await env.MEDIA.list()
	expect(objects.filter(({ key }) => key.includes('/transcripts/'))).toHaveLength(1)
})

test('deleting an asset ends its transcription and deletes every file', { tags: 'd1' }, async () => {
	const { assetId } = await studio.upload()
	await studio.start(assetId)
	const machine = await openHearing()
	await machine.drain()
	await world.deliver()
	await machine.drain()
	await world.deliver()
	const task = await machine.claim()
	if (!task) throw new Error('nothing to do')
	await world.ask(deleteAsset, { params: { assetId } }, ada)
	await world.deliver()
	expect((await machine.complete(task, (await machine.work(task)).result)).status).toBe(410)
	expect([...(await env.VAULT.list()).objects, ...(await env.MEDIA.list()).objects]).toEqual([])
	const rows = await world.deps((d) =>
		d.db.all('select asset_id from ai_steps union all select asset_id from tasks'),
	)
	expect(rows).toEqual([])
})
