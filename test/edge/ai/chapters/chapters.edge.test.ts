import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { getChapters, replaceChapters } from '#schema/contract/ai/chapters.ts'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { createAsset, deleteAsset, updateAsset } from '#schema/contract/video/assets.ts'
import { getPlayback } from '#schema/contract/watch/playback.ts'
import { makeChapters } from '../../../../edge/ai/chapters/making.ts'
import { runChaptersStep } from '../../../../edge/ai/steps/chapters-step.ts'
import { reasons } from '../../../../edge/ai/steps/reasons.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada, 'Film', { durationSec: 150 })
})

const params = () => ({ assetId: film.id })
const replace = (chapters: object[], who: Person = ada) =>
	world.ask(replaceChapters, { params: params(), body: { chapters: chapters as never } }, who)
const read = async () => (await world.ask(getChapters, { params: params() }, ada)).ok.data
const titles = async () => (await read()).chapters.map(({ title }) => title)
const make = async (options = {}, id = film.id) => {
	const { outcome } = await world.deps((deps) => makeChapters(deps, { orgId: ada.orgId, id }, options))
	return outcome
}
const chaptersUrl = async () =>
	(await world.ask(getPlayback, { params: { playbackId: film.playbackId }, query: {} })).ok.data.ai
		.chaptersUrl
const fetchText = async (url: string | null) => {
	const response = await world.fetch(new Request(url ?? ''))
	return { status: response.status, text: await response.text() }
}
const watchPage = async () => (await fetchText(`https://edge.test/watch/${film.playbackId}`)).text
const stored = async () => (await env.MEDIA.list({ prefix: `media/${film.playbackId}/chapters/` })).objects

/** Two topics of 70 seconds, a sentence each five seconds. */
const topics = {
	bread: 'Knead the bread dough, warm the oven, and feed the yeast starter with flour.',
	moon: 'Point the telescope at the moon, where craters and planets fill the dark sky.',
}
const speech = (order: (keyof typeof topics)[]) => ({
	language: 'en',
	segments: order.flatMap((topic, part) =>
		Array.from({ length: 14 }, (_, at) => {
			const words = topics[topic].slice(0, -1).split(/,? /)
			const text = words.map((_, index) => words[(index * 5 + at) % words.length]).join(' ')
			return { start: part * 70 + at * 5, end: part * 70 + at * 5 + 4.5, text: `${text}.` }
		}),
	),
})
const speak = (order: (keyof typeof topics)[]) =>
	world.ask(replaceTranscript, { params: params(), body: { transcript: speech(order) } }, ada)

const chapters = [
	{ title: 'Welcome', startTime: 0 },
	{ title: 'Middle', startTime: 30.5, endTime: 60 },
	{ title: 'End', startTime: 60 },
]

describe('written chapters', () => {
	test('written chapters replace all others, and end where the next begins or the video ends', {
		tags: 'd1',
	}, async () => {
		expect(await read()).toEqual({ chapters: [], editedAt: null, isStale: false })
		const { data } = (await replace(chapters)).ok
		expect(data).toEqual({
			chapters: [
				{ title: 'Welcome', startTime: 0, endTime: 30.5 },
				{ title: 'Middle', startTime: 30.5, endTime: 60 },
				{ title: 'End', startTime: 60, endTime: 150 },
			],
			editedAt: expect.any(String),
			isStale: false,
		})
		expect(await read()).toEqual(data)
		expect(JSON.parse((await fetchText(await chaptersUrl())).text)).toEqual({ chapters: data.chapters })
		expect(await watchPage()).toContain('<bdi>Middle</bdi>')
	})

	test('an empty list removes the chapters and their file', { tags: 'd1' }, async () => {
		await replace(chapters)
		const url = await chaptersUrl()
		await replace(chapters.slice(0, 1))
		expect((await fetchText(url)).status).toBe(404)
		expect((await stored()).length).toBe(1)
		expect((await replace([])).ok.data).toMatchObject({ chapters: [], editedAt: expect.any(String) })
		expect(await chaptersUrl()).toBeNull()
		expect(await stored()).toEqual([])
	})

	test('chapters are hidden from viewers if the settings of the asset disable them', {
		tags: 'd1',
	}, async () => {
		await replace(chapters)
		const url = String(await chaptersUrl())
		expect((await world.fetch(new Request(url))).status).toBe(200)
		await world.ask(updateAsset, { params: params(), body: { publicSettings: { showChapters: false } } }, ada)
		expect((await world.fetch(new Request(url))).status).toBe(404)
		expect(await chaptersUrl()).toBeNull()
		expect(await watchPage()).not.toContain('<bdi>Middle</bdi>')
		expect(await titles()).toContain('Middle')
	})

	test('concurrent replacements of chapters store one list, and no files of the others', async () => {
		const answers = await Promise.all(
			['one', 'two', 'three', 'four'].map((title) => replace([{ title, startTime: 0 }])),
		)
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
		expect(await titles()).toHaveLength(1)
		expect(await stored()).toHaveLength(1)
	})

	test('deleting an asset deletes its chapters and their files', { tags: 'd1' }, async () => {
		await replace(chapters)
		await world.ask(deleteAsset, { params: params() }, ada)
		await world.deliver()
		expect(await stored()).toEqual([])
	})

	test.each([
		['that begin late', [{ title: 'a', startTime: 1 }], 'chapters'],
		['in disorder', [chapters[0], chapters[2], chapters[1]], 'chapters'],
		['that overlap', [{ ...chapters[0], endTime: 31 }, chapters[1]], 'chapters'],
		['that begin after the end', [chapters[0], { title: 'a', startTime: 150 }], 'chapters.1.startTime'],
		['that end after the end', [{ ...chapters[0], endTime: 152 }], 'chapters.0.endTime'],
		['without a title', [{ title: ' ', startTime: 0 }], 'chapters.0.title'],
	])('written chapters are rejected %s', async (_, bad, field) => {
		expect(await replace(bad as object[])).toMatchObject({
			code: 'validation',
			error: expect.stringContaining(field),
		})
		expect(await stored()).toEqual([])
	})

	test('chapters are rejected before the duration is known, and for the asset of another organization', {
		tags: 'd1',
	}, async () => {
		expect((await replace(chapters, await world.person())).status).toBe(404)
		film = { ...(await world.ask(createAsset, { body: { title: 'New' } }, ada)).ok.data }
		expect(await replace(chapters)).toMatchObject({ status: 409, code: 'conflict' })
	})
})

describe('generated chapters', () => {
	test('generated chapters follow the transcript: another one replaces them, and none removes them', async () => {
		await speak(['bread', 'moon'])
		await world.deliver()
		const made = await read()
		expect(made).toMatchObject({ editedAt: null, isStale: false })
		expect(made.chapters.map(({ startTime, endTime }) => [startTime, endTime])).toEqual([
			[0, 70],
			[70, 150],
		])
		expect(made.chapters[1]?.reasons?.words).toBeGreaterThan(0)
		expect(await watchPage()).toContain(`<bdi>${made.chapters[1]?.title}</bdi>`)

		await speak(['moon', 'bread'])
		expect(await read()).toMatchObject({ isStale: true })
		await world.deliver()
		expect(await titles()).toEqual(made.chapters.map(({ title }) => title).reverse())
		expect((await read()).isStale).toBe(false)
		expect(await stored()).toHaveLength(1)

		await world.ask(replaceTranscript, { params: params(), body: { transcript: { segments: [] } } }, ada)
		await world.deliver()
		expect(await read()).toEqual({ chapters: [], editedAt: null, isStale: false })
		expect(await stored()).toEqual([])
	})

	test('chapters are generated once for each transcript', async () => {
		await speak(['bread', 'moon'])
		expect(await make()).toBe('made')
		const url = await chaptersUrl()
		expect(await make()).toBe('unchanged')
		await world.deliver()
		expect(await chaptersUrl()).toBe(url)
		expect(await make({ force: true })).toBe('made')
		expect(await stored()).toHaveLength(1)
	})

	test('generated chapters never overwrite what a person wrote or removed, unless forced', {
		tags: 'd1',
	}, async () => {
		for (const edited of [chapters, []]) {
			await replace(edited)
			await speak(['bread', 'moon'])
			await world.deliver()
			expect(await titles()).toEqual(edited.map(({ title }) => title))
			expect(await make()).toBe('kept')
		}
		expect(await make({ force: true })).toBe('made')
		expect(await read()).toMatchObject({ editedAt: null, chapters: [{ startTime: 0 }, { startTime: 70 }] })
	})

	test('chapters that a person writes win over generated ones of the same moment', {
		tags: 'd1',
	}, async () => {
		await speak(['bread', 'moon'])
		await Promise.all([make(), replace(chapters), make()])
		expect(await titles()).toEqual(chapters.map(({ title }) => title))
		expect(await stored()).toHaveLength(1)
	})

	test('a list of chapters in the description wins over generated chapters', { tags: 'd1' }, async () => {
		await speak(['bread', 'moon'])
		await world.deliver()
		const description = '0:00 Intro\n0:30 Described\n1:00 Outro'
		await world.ask(updateAsset, { params: params(), body: { description } }, ada)
		expect(await watchPage()).toContain('<bdi>Described</bdi>')
		await replace(chapters)
		expect(await watchPage()).not.toContain('<bdi>Described</bdi>')
	})

	test('chapters are generated from shot changes if nobody speaks', { tags: 'd1' }, async () => {
		const storyboardKey = 'media/silent/v1/storyboard.vtt'
		film = await makeReady(world, ada, 'Silent film', { durationSec: 150, storyboardKey })
		expect(await make({ isSilent: true })).toBe('unchanged')
		await env.MEDIA.put('media/silent/v1/shots.json', JSON.stringify({ shots: [60, 62, 110] }))
		expect(await make()).toBe('unchanged')
		expect(await make({ isSilent: true })).toBe('made')
		expect(await make({ isSilent: true })).toBe('unchanged')
		expect(await titles()).toEqual(['Part 1', 'Part 2', 'Part 3'])
		expect((await read()).chapters.map(({ startTime }) => startTime)).toEqual([0, 62, 110])
		expect(await make({}, 'ast_none')).toBe('skipped')
	})

	test('the chapters step of a silent video ends with one read of the asset', { tags: 'd1' }, async () => {
		const storyboardKey = 'media/silent/v1/storyboard.vtt'
		film = await makeReady(world, ada, 'Silent film', { durationSec: 150, storyboardKey })
		const runStep = () => {
			const situation = { isForced: false, noTextReason: reasons.noSpeech, language: null }
			return world.deps((deps) => runChaptersStep(deps, { orgId: ada.orgId, id: film.id }, situation))
		}
		expect(await runStep()).toMatchObject({ status: 'skipped' })
		await env.MEDIA.put('media/silent/v1/shots.json', JSON.stringify({ shots: [60, 62, 110] }))
		for (const attempt of ['first', 'second']) {
			const before = world.statements.length
			expect(await runStep(), attempt).toMatchObject({ status: 'completed' })
			const reads = world.statements.slice(before).filter((sql) => /^select .* from "assets"/.test(sql))
			expect(reads, attempt).toHaveLength(1)
		}
	})

	test('a generated chapter begins at a shot change in the pause before its first sentence', {
		tags: 'd1',
	}, async () => {
		const storyboardKey = 'media/cut/v1/storyboard.vtt'
		film = await makeReady(world, ada, 'Talk', { durationSec: 150, storyboardKey })
		await env.MEDIA.put('media/cut/v1/shots.json', JSON.stringify({ shots: [69.7] }))
		await speak(['bread', 'moon'])
		await world.deliver()
		expect((await read()).chapters[1]).toMatchObject({ startTime: 69.7, reasons: { isShotCut: true } })
	})
})
