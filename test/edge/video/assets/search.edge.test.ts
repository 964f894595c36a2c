import { beforeEach, describe, expect, test } from 'vitest'
import {
	createAsset,
	deleteAsset,
	getAsset,
	listAssets,
	searchAssets,
	standardPublicSettings,
	updateAsset,
} from '#schema/contract/video/assets.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const add = async (title: string, description?: string, who = ada) => {
	const { id } = (await world.ask(createAsset, { body: { title } }, who)).ok.data
	if (description !== undefined)
		await world.ask(updateAsset, { params: { assetId: id }, body: { description } }, who)
	return id
}
const search = (q: string, more: Record<string, string> = {}, who = ada) =>
	world.ask(searchAssets, { query: { q, ...more } as never }, who)
const found = async (q: string, more: Record<string, string> = {}) =>
	(await search(q, more)).ok.data.items.map(({ title }) => title)

describe('search', () => {
	test('asset search finds words in titles and descriptions, newest first', { tags: 'd1' }, async () => {
		await add('Whales of the north', 'Shot in Norway')
		await add('City lights', 'No whales here')
		await add('Something else')
		expect(await found('whales')).toEqual(['City lights', 'Whales of the north'])
		expect(await found('NORWAY north')).toEqual(['Whales of the north'])
		expect(await found('whales norway city')).toEqual([])
		const { ok } = await search('whales')
		expect(ok.data).toMatchObject({ total: 2, limit: 20, offset: 0 })
		expect(ok.data.items[0]).toMatchObject({ hasCustomThumbnail: false, thumbnailUrl: expect.any(String) })
	})

	test('asset search finds words by prefix, and by substring only if no prefix matches', {
		tags: 'd1',
	}, async () => {
		await add('Marathon')
		await add('Mare')
		await add('Nightmare')
		expect(await found('mar')).toEqual(['Mare', 'Marathon'])
		expect(await found('ightm')).toEqual(['Nightmare'])
		expect(await found('thon')).toEqual(['Marathon'])
	})

	test.each([
		['two letters', 'AI basics', 'ai'],
		['one letter', 'X', 'x'],
		['accents', 'Café crème', 'cafe creme'],
		['accents in the query', 'Cafe creme', 'CAFÉ'],
		['Chinese', '北京電影院', '電影'],
		['one Chinese letter in the middle', '北京電影院', '影'],
		['Japanese', 'これはテストです', 'テスト'],
		['Korean', '한국 영화', '영화'],
		['Korean inside a word', '한국영화', '영화'],
		['Thai', 'ภาพยนตร์ไทย', 'ไทย'],
		['Arabic', 'فيلم وثائقي', 'فيلم'],
		['emoji', 'Launch 🚀 day', '🚀'],
		['an emoji of several parts', 'Family 👨‍👩‍👧 time', '👨‍👩‍👧'],
		['double quotes', 'The "best" one', '"best"'],
		['single quotes', "It's", "it's"],
		['a lone double quote', '5" disk', '"'],
		['percent', '100% wool', '%'],
		['underscore', 'snake_case', '_'],
		['backslash', 'a\\b', '\\'],
		['operators of full-text languages', 'A* NEAR(b) OR c:', 'OR c:'],
		['a minus', 'e-mail', '-'],
		['51 bytes', 'é'.repeat(26), 'é'.repeat(26)],
		['200 letters', `${'x'.repeat(200)}y`, 'x'.repeat(200)],
	])('asset search works with %s', async (_, title, q) => {
		await add(title)
		await add('Decoy')
		expect(await found(q)).toEqual([title])
	})

	test('asset search treats every character of a query literally', async () => {
		await add('Plain')
		for (const q of [
			'%',
			'_',
			'*',
			'"',
			"'",
			'""',
			'\\',
			"' or 1=1 --",
			'title:',
			'NEAR(',
			'^',
			'%%%',
			'?1',
			'P%n',
			'P_ain',
		])
			expect(await found(q), q).toEqual([])
		expect((await search('x'.repeat(201))).status).toBe(400)
		for (const query of [{ limit: '0' }, { limit: '101' }, { offset: '-1' }, { status: 'gone' }])
			expect((await search('', query)).status, JSON.stringify(query)).toBe(400)
	})

	test('asset search returns all assets for an empty or blank query', async () => {
		for (const title of ['One', 'Two', 'Three']) await add(title)
		expect(await found('')).toEqual(['Three', 'Two', 'One'])
		expect(await found('  ')).toEqual(['Three', 'Two', 'One'])
		expect((await world.ask(searchAssets, { query: {} }, ada)).ok.data.total).toBe(3)
	})

	test('asset search pages by offset and always returns the total', async () => {
		for (let i = 0; i < 5; i++) await add(`Part ${i}`)
		expect(await found('part', { limit: '2', offset: '2' })).toEqual(['Part 2', 'Part 1'])
		const past = await search('part', { limit: '2', offset: '10' })
		expect(past.ok.data).toEqual({ items: [], total: 5, limit: 2, offset: 10 })
	})

	test('asset search filters by status, in the substring fallback too', async () => {
		await add('Elliott')
		const hello = await add('Hello')
		await world.deps((d) => d.db.all(`update assets set status = 'ready' where id = '${hello}' returning 1`))
		expect(await found('ell')).toEqual(['Elliott'])
		expect(await found('ell', { status: 'ready' })).toEqual(['Hello'])
		expect(await found('ello', { status: 'created' })).toEqual([])
		expect(await found('', { status: 'ready' })).toEqual(['Hello'])
	})

	test('every change of an asset updates the search index', async () => {
		const id = await add('First title', 'First text')
		const change = (body: object) => world.ask(updateAsset, { params: { assetId: id }, body }, ada)
		await change({ title: 'Second name' })
		expect(await found('title')).toEqual([])
		expect(await found('itle')).toEqual([])
		expect(await found('second text')).toEqual(['Second name'])
		await change({ description: null })
		expect(await found('text')).toEqual([])
		await change({ collectionId: 'col_00000000000000000000000000', title: 'Never' })
		expect(await found('never')).toEqual([])
		expect(await found('second')).toEqual(['Second name'])
		await world.ask(deleteAsset, { params: { assetId: id } }, ada)
		expect(await found('second')).toEqual([])
		expect(await world.deps((d) => d.db.all('select * from asset_terms'))).toEqual([])
		expect(await world.deps((d) => d.db.all('select * from asset_search'))).toEqual([])
	})

	test('asset search finds no assets of other organizations', { tags: 'd1' }, async () => {
		await add('Secret whale')
		const bo = await world.person()
		await add('Other', undefined, bo)
		for (const q of ['secret', 'ecre', 'whale', '']) {
			const { items, total } = (await search(q, {}, bo)).ok.data
			expect(items.map(({ title }) => title)).toEqual(q === '' ? ['Other'] : [])
			expect(total).toBe(q === '' ? 1 : 0)
		}
	})
})

describe('search with 100,000 assets', () => {
	test('list, search and get need at most four statements and no table scan with 100,000 assets', async () => {
		const id = await add('The needle', 'Somewhere')
		const bo = await world.person()
		const many = (count: number) =>
			`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
		const settings = JSON.stringify(standardPublicSettings)
		const fill = (orgId: string, kind: string, count: number) =>
			world.deps(async ({ db }) => {
				const row = `'ast_' || '${kind}' || printf('%025d', i)`
				await db.all(
					`insert into assets (id, org_id, title, status, playback_id, metadata, public_settings, created_at, updated_at) ${many(count)} select ${row}, '${orgId}', 'Straw ' || i, 'ready', '${kind}' || printf('%021d', i), '{}', '${settings}', i, i from n returning 1`,
				)
				await db.all(
					`insert into asset_search ${many(count)} select ${row}, '${orgId}', 'straw ' || i, '' from n returning 1`,
				)
				for (const term of ["'straw'", "'' || i"])
					await db.all(
						`insert into asset_terms ${many(count)} select '${orgId}', ${term}, ${row}, 'title' from n returning 1`,
					)
			})
		await fill(ada.orgId, '0', 100_000)
		await fill(bo.orgId, '1', 5_000)

		const cursor = btoa(JSON.stringify(['-created', 50_000, 'ast_x'])).replaceAll('=', '')
		const responses = {
			'the first page': await world.ask(listAssets, { query: {} }, ada),
			'a later page': await world.ask(listAssets, { query: { cursor } }, ada),
			'assets of no collection': await world.ask(listAssets, { query: { collectionId: 'none' } }, ada),
			'one asset': await world.ask(getAsset, { params: { assetId: id } }, ada),
			everything: await search(''),
			'one status': await search('', { status: 'ready' }),
			'a rare word': await search('needle'),
			'a word that all have': await search('straw'),
			'two words': await search('straw 99999'),
			'a word with a status': await search('straw', { status: 'ready' }),
			'the inside of a word': await search('eedl'),
			'no letters': await search('%'),
			nothing: await search('nothing at all'),
		}
		expect(responses['a word that all have'].ok.data.total).toBe(100_000)
		expect(responses['two words'].ok.data.items.map(({ title }) => title)).toEqual(['Straw 99999'])
		expect(responses['the inside of a word'].ok.data.items.map(({ title }) => title)).toEqual(['The needle'])
		expect(responses['no letters'].ok.data.total).toBe(0)
		expect(responses.everything.ok.data.total).toBe(100_001)

		for (const [name, answer] of Object.entries(responses)) {
			expect(answer.status, name).toBe(200)
			expect(answer.statements.length, name).toBeLessThanOrEqual(4)
			for (const sql of answer.statements) {
				const plan = await world.plan(sql)
				// Temporary tables of matches may be scanned, but no stored table.
				const scans = plan.filter(
					(line) =>
						/^SCAN /.test(line) && !/^SCAN (CONSTANT ROW|words|fallback|matches|chosen|\d)/.test(line),
				)
				expect(scans, `${name}: ${sql}\n${plan.join('\n')}`).toEqual([])
				// Each index search is limited to the organization or to one asset.
				const searches = plan.filter((line) => /^SEARCH /.test(line) && /asset/.test(line))
				for (const line of searches) expect(line, sql).toMatch(/\((org_id=\?|id=\?|asset_id=\?|.*rowid=\?)/)
			}
		}
	})
})
