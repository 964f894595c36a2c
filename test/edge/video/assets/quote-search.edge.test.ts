import { beforeEach, describe, expect, test } from 'vitest'
import { replaceTranscript } from '#schema/contract/ai/transcripts.ts'
import { createAsset, deleteAsset, searchAssets, updateAsset } from '#schema/contract/video/assets.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from '../../watch/playback/ready-asset.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const script = `Feed the starter each morning, and keep the jar warm. When the starter doubles in four hours, it is ready for the dough.
Measure the chain with a ruler, and replace it before the sprockets suffer. My bicycle shifts quietly now.
Jupiter stands high in the south, and four moons line up beside it.`
const speechOf = (text: string) => ({
	language: 'en',
	segments: text.split('\n').map((line, at) => ({ start: at * 20, end: at * 20 + 15, text: line })),
})
const speak = (assetId: string, text: string, who = ada) =>
	world.ask(replaceTranscript, { params: { assetId }, body: { transcript: speechOf(text) } }, who)
const film = async (title: string, text: string, who = ada) => {
	const { id } = await makeReady(world, who, title, { durationSec: 3_600 })
	const spoken = await speak(id, text, who)
	return { id, transcript: spoken.ok.data.transcript }
}
const search = (q: string, who = ada) => world.ask(searchAssets, { query: { q } }, who)
const items = async (q: string, who = ada) => (await search(q, who)).ok.data.items
const titles = async (q: string) => (await items(q)).map(({ title }) => title)
/** A row that is written again gets another id. */
const rowIds = () =>
	world.deps((d) => d.db.all<{ rowid: number; term: string }>('select rowid, term from spoken_terms'))
const rows = async () => (await world.deps((d) => d.db.all('select * from spoken_terms'))).length

describe('search by quote', () => {
	test('search by quote finds every run of five words within a second', async () => {
		const { transcript } = await film('Shed', script)
		await film('Other', 'Nothing of interest is said.')
		const words = transcript.segments.flatMap((segment) => segment.words)
		for (let at = 0; at + 5 <= words.length; at++) {
			const q = words
				.slice(at, at + 5)
				.map(({ word }) => word)
				.join(' ')
			const [found, ...others] = await items(q)
			expect(others, q).toEqual([])
			const distances = found?.matches.map(({ startSec }) => Math.abs(startSec - (words[at]?.start ?? 0)))
			expect(Math.min(...(distances ?? [])), q).toBeLessThanOrEqual(1)
		}
	})

	test('search by quote returns the segment, and none for assets that match by title', async () => {
		await film('Shed', script)
		await film('Sprockets', 'About something else.')
		expect((await items('sprockets')).map(({ title, matches }) => [title, matches])).toEqual([
			['Sprockets', []],
			['Shed', [{ startSec: expect.any(Number), text: script.split('\n')[1] }]],
		])
		expect((await items('')).every(({ matches }) => matches.length === 0)).toBe(true)
	})

	test('search by quote ranks assets first that contain the words one after another', async () => {
		await film('Quote', 'He said that the brown fox jumps.')
		await film('Words', 'A fox that jumps is brown. The end.')
		expect(await titles('brown fox jumps')).toEqual(['Quote', 'Words'])
		expect((await items('"brown fox jumps"')).map(({ matches }) => matches.length)).toEqual([1, 0])
	})

	test('search by quote finds words as people type them, even in languages without spaces', async () => {
		await film('Words', 'Telescopes are up.')
		await film('Japanese', '北京電影院は大きいです。')
		expect(await titles('telesc')).toEqual(['Words'])
		expect(await titles('电影')).toEqual([])
		expect((await items('電影院'))[0]?.matches).toHaveLength(1)
		expect(await titles('u')).toEqual([])
	})

	test('search by quote finds no transcripts of other organizations', async () => {
		await film('Private', script)
		const bo = await world.person()
		await film('Own', 'Jupiter is mine.', bo)
		expect((await items('Jupiter', bo)).map(({ title }) => title)).toEqual(['Own'])
		expect(await items('stands high in the south', bo)).toEqual([])
	})

	test('search by quote finds no transcript that was replaced or removed, or whose asset was deleted', async () => {
		const { id } = await film('Shed', script)
		await speak(id, 'Measure the planets.')
		expect(await titles('sprockets')).toEqual([])
		expect(await titles('measure the planets')).toEqual(['Shed'])
		await world.ask(
			replaceTranscript,
			{ params: { assetId: id }, body: { transcript: { segments: [] } } },
			ada,
		)
		expect(await titles('measure')).toEqual([])
		expect(await rows()).toBe(0)
		await speak(id, script)
		await world.ask(deleteAsset, { params: { assetId: id } }, ada)
		expect(await titles('sprockets')).toEqual([])
		expect(await rows()).toBe(0)
	})

	test('search by quote finds the words of the last of several concurrent transcripts', async () => {
		const { id } = await makeReady(world, ada, 'Film')
		const texts = ['apple one', 'banana two', 'cherry three']
		await Promise.all(
			texts.map((text) =>
				world.ask(
					replaceTranscript,
					{ params: { assetId: id }, body: { transcript: { segments: [{ start: 0, end: 5, text }] } } },
					ada,
				),
			),
		)
		const found = await Promise.all(texts.map(titles))
		expect(found.flat()).toEqual(['Film'])
		expect(await rows()).toBe(2)
	})

	test('search by quote returns moments of at most ten assets', { tags: 'd1' }, async () => {
		for (let at = 0; at < 12; at++) await film(`Film ${at}`, 'Twelve times the same.')
		const found = await items('twelve times')
		expect(found.length).toBe(12)
		expect(found.filter(({ matches }) => matches.length > 0).length).toBe(10)
	})
})

describe('the cost of search by quote', () => {
	test('search by quote runs five statements at most, and each finds spoken words by an index', async () => {
		await film('Shed', script)
		await world.ask(createAsset, { body: { title: 'No transcript' } }, ada)
		let lookups = 0
		for (const q of ['starter', 'the jar warm', '"four moons line up"', 'nothing', '']) {
			const answer = await search(q)
			expect(answer.status).toBe(200)
			expect(answer.statements.length, q).toBeLessThanOrEqual(5)
			for (const sql of answer.statements) {
				const searches = (await world.plan(sql)).filter((line) => /^\w+ (term|other)\b/.test(line))
				lookups += searches.length
				for (const line of searches) expect(line, sql).toMatch(/^SEARCH .*\((org_id=\?|asset_id=\?)/)
			}
		}
		expect(lookups).toBeGreaterThan(0)
	})

	test('the index of spoken words has a row for each distinct word, which an edit with that word keeps', async () => {
		const { id } = await makeReady(world, ada, 'Film', { durationSec: 3_600 })
		const first = await speak(id, 'one two two two three')
		expect(await rows()).toBe(3)
		const long = Array.from({ length: 300 }, (_, at) => `word${at % 40} again again`)
		const lines = long.map((_, at) => long.slice(at, at + 10).join(' ')).slice(0, 100)
		const answer = await speak(id, lines.join('\n'))
		expect(await rows()).toBe(41)
		const before = await rowIds()
		const edited = lines.slice(0, 99)
		await speak(id, [...edited, 'brandnew word1'].join('\n'))
		const after = await rowIds()
		expect(after.filter(({ rowid }) => !before.some((row) => row.rowid === rowid))).toEqual([
			{ rowid: expect.any(Number), term: 'brandnew' },
		])
		expect(after.length).toBe(before.length + 1)
		expect(answer.statements.length).toBe(first.statements.length)
	})

	test('an update of the title leaves the index of spoken words unchanged', async () => {
		const { id } = await film('Film', script)
		const before = await rows()
		await world.ask(updateAsset, { params: { assetId: id }, body: { title: 'New' } }, ada)
		expect(await rows()).toBe(before)
	})
})
