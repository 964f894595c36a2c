import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import {
	type AssetFilter,
	AssetSort,
	listAssets,
	standardPublicSettings,
} from '#schema/contract/video/assets.ts'
import { libraryStore } from '../../../../../edge/video/assets/library/store.ts'
import { rowsReadBy } from '../../../../support/edge/rows-read.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const films = 'col_00000000000000000000000001'
const MANY = 20_000
const fill = (orgId: string, kind: string, count: number) =>
	world.deps(async ({ db }) => {
		const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
		const id = `'ast_' || '${kind}' || printf('%025d', i)`
		await db.all(
			`insert into assets (id, org_id, title, status, visibility, collection_id, playback_id, metadata, public_settings, duration_sec, source_size_bytes, created_at, updated_at) ${many}
			select ${id}, '${orgId}', 'Straw ' || i, case i % 7 when 0 then 'error' else 'ready' end, case i % 3 when 0 then 'signed' else 'public' end, case i % 5 when 0 then '${films}' end, '${kind}' || printf('%021d', i), '{}', '${JSON.stringify(standardPublicSettings)}', i % 100, i % 1000, i, i from n returning 1`,
		)
		for (const term of ["'straw'", "'' || i"])
			await db.all(
				`insert into asset_terms ${many} select '${orgId}', ${term}, ${id}, 'title' from n returning 1`,
			)
	})

const filters: Record<string, AssetFilter> = {
	'no filter': {},
	'one status': { status: ['error'] },
	'a status that none has': { status: ['queued'] },
	'two statuses': { status: ['error', 'ready'] },
	visibility: { visibility: ['signed'] },
	'a visibility that none has': { visibility: ['unlisted'] },
	collection: { collectionId: films },
	'no collection': { collectionId: 'none' },
	'collection and status': { collectionId: films, status: ['error'] },
	captions: { hasCaptions: 'true' },
	'no captions': { hasCaptions: 'false' },
	dates: { createdAfter: new Date(50).toISOString(), createdBefore: new Date(60).toISOString() },
	'a frequent word': { q: 'straw' },
	'a rare word': { q: '77' },
	'a frequent and a rare word': { q: 'straw 77' },
	'a word that none has': { q: 'needle' },
	'no letters': { q: '%' },
	everything: {
		q: 'straw',
		status: ['error'],
		visibility: ['signed'],
		collectionId: films,
		hasCaptions: 'true',
	},
}
const middle: Record<string, string | number> = {
	created: 10_000,
	updated: 10_000,
	title: 'Straw 5',
	duration: 50_000,
	size: 500,
}
const measure = async (isLater = false) => {
	const rows: Record<string, number> = {}
	for (const [name, filter] of Object.entries(filters))
		for (const sort of AssetSort.options)
			rows[`${name} by ${sort}`] = await rowsReadBy((db) =>
				libraryStore(db).list(ada.orgId, filter, {
					sort,
					limit: 20,
					after: isLater ? [middle[sort.replace('-', '')] ?? 0, 'ast_2'] : null,
				}),
			)
	return rows
}

test('a page of assets reads a limited number of rows with any filter and sort, and others add none', async ({
	skip,
}) => {
	skip(env.LIBSQL_BASE !== undefined, 'only D1 says how many rows it reads')
	await fill(ada.orgId, '0', 100)
	// A scan also reads the first row after its range, so rows of another organization must follow.
	const bo = await world.person()
	await fill(bo.orgId, '1', 100)
	const few = await measure()
	await fill(bo.orgId, '3', MANY)
	expect(await measure()).toEqual(few)

	await fill(ada.orgId, '2', MANY)
	for (const many of [await measure(), await measure(true)]) requireFewRows(many)
})

function requireFewRows(many: Record<string, number>) {
	for (const [name, rows] of Object.entries(many)) expect(rows, name).toBeLessThanOrEqual(12_000)
	for (const [name, rows] of Object.entries(many))
		if (name.startsWith('no filter')) expect(rows, name).toBeLessThanOrEqual(2 * 21)
	for (const name of ['one status', 'collection', 'no collection', 'dates'])
		for (const sort of ['created', '-created'])
			expect(many[`${name} by ${sort}`], `${name} by ${sort}`).toBeLessThanOrEqual(2 * 21)
}

test('short pages of assets with a rare property have a cursor, and lead to all of them', async () => {
	await fill(ada.orgId, '0', 5_000)
	await world.deps(({ db }) =>
		db.all("update assets set visibility = 'unlisted' where created_at in (1, 2500, 5000) returning 1"),
	)
	for (const sort of ['title', '-created'] as const) {
		const seen: string[] = []
		let pages = 0
		for (let cursor: string | null = ''; cursor !== null; pages++) {
			const query = { sort, visibility: 'unlisted', limit: '2', ...(cursor && { cursor }) } as never
			const page = await world.ask(listAssets, { query }, ada)
			expect(page.statements.filter((sql) => /from "assets"/.test(sql)).length).toBeLessThanOrEqual(3)
			seen.push(...page.ok.data.map(({ title }) => title))
			cursor = page.headers.get('x-next-cursor')
		}
		expect(seen.sort(), sort).toEqual(['Straw 1', 'Straw 2500', 'Straw 5000'])
		expect(pages, sort).toBeLessThanOrEqual(4)
	}
})
