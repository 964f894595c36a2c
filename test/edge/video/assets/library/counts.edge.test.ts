import { env } from 'cloudflare:workers'
import { beforeEach, expect, test } from 'vitest'
import {
	type AssetFilter,
	countAssets,
	createAsset,
	listAssets,
	standardPublicSettings,
} from '#schema/contract/video/assets.ts'
import { countsStore } from '../../../../../edge/video/assets/library/counts-store.ts'
import { rowsReadBy } from '../../../../support/edge/rows-read.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const films = 'col_00000000000000000000000001'
const count = async (query: Record<string, string> = {}, who: Person = ada) =>
	(await world.ask(countAssets, { query: query as never }, who)).ok.data

/** Every third is in error, every fifth in the collection, every seventh signed. */
const fill = (orgId: string, kind: string, total: number) =>
	world.deps(async ({ db }) => {
		const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${total})`
		const id = `'ast_' || '${kind}' || printf('%025d', i)`
		await db.all(
			`insert into assets (id, org_id, title, status, visibility, collection_id, playback_id, metadata, public_settings, created_at, updated_at) ${many}
			select ${id}, '${orgId}', 'Straw', case i % 3 when 0 then 'error' else 'ready' end, case i % 7 when 0 then 'signed' else 'public' end, case i % 5 when 0 then '${films}' end, '${kind}' || printf('%021d', i), '{}', '${JSON.stringify(standardPublicSettings)}', i, i from n returning 1`,
		)
		await db.all(
			`insert into asset_terms ${many} select '${orgId}', 'straw', ${id}, 'title' from n where i % 2 = 0 returning 1`,
		)
	})

const at = (ms: number) => new Date(ms).toISOString()
const queries: Record<string, string>[] = [
	{},
	{ status: 'error' },
	{ status: 'error,queued' },
	{ visibility: 'signed' },
	{ collectionId: films },
	{ collectionId: 'none' },
	{ hasCaptions: 'true' },
	{ hasCaptions: 'false' },
	{ createdAfter: at(10), createdBefore: at(50) },
	{ q: 'straw' },
	{ q: 'stra' },
	{ q: '%' },
	{ q: 'needle' },
	{ q: 'straw', collectionId: films, visibility: 'public', createdAfter: at(10), status: 'ready' },
]

test('counts of assets by status agree with the list, with any filter', async () => {
	await fill(ada.orgId, '0', 90)
	await fill((await world.person()).orgId, '1', 30)
	await world.ask(createAsset, { body: { title: 'New' } }, ada)
	for (const query of queries) {
		const listed = (await world.ask(listAssets, { query: { ...query, limit: '200' } as never }, ada)).ok.data
		const expected: Record<string, number> = {}
		for (const { status } of listed) expected[status] = (expected[status] ?? 0) + 1
		const counted = Object.entries(await count(query))
		expect(counted.every(([, { hasMore }]) => !hasMore)).toBe(true)
		expect(Object.fromEntries(counted.map(([status, { count }]) => [status, count]))).toEqual({
			...{ created: 0, uploaded: 0, queued: 0, processing: 0, ready: 0, error: 0 },
			...expected,
		})
	}
	expect((await count()).error.count).toBe(30)
	expect((await world.ask(countAssets, { query: { stauts: 'ready' } as never }, ada)).status).toBe(400)
})

test('counts of assets stop at 10,000, and say so', async () => {
	await fill(ada.orgId, '0', 15_003)
	expect(await count({ status: 'ready' })).toMatchObject({ ready: { count: 10_000, hasMore: true } })
	expect(await count()).toMatchObject({
		ready: { count: 10_000, hasMore: true },
		error: { count: 5_001, hasMore: false },
		created: { count: 0, hasMore: false },
	})
	const signed = await count({ visibility: 'signed' })
	expect(signed.ready.hasMore && signed.queued.hasMore).toBe(true)
	expect(signed.ready.count + signed.error.count).toBe(1_429)
})

test('counting assets takes one statement and a limited number of rows, and others add none', async ({
	skip,
}) => {
	skip(env.LIBSQL_BASE !== undefined, 'only D1 says how many rows it reads')
	const filters: AssetFilter[] = [
		...[{}, { status: ['error' as const] }, { visibility: ['signed' as const] }, { collectionId: films }],
		...[
			{ hasCaptions: 'true' as const },
			{ createdAfter: at(50) },
			{ q: 'straw' },
			{ q: 'straw', collectionId: films },
		],
	]
	const measure = async () => {
		const rows: number[] = []
		for (const filter of filters)
			rows.push(await rowsReadBy((db) => countsStore(db).count(ada.orgId, filter)))
		return rows
	}
	await fill(ada.orgId, '0', 60)
	const bo = await world.person()
	await fill(bo.orgId, '1', 60)
	const few = await measure()
	await fill(bo.orgId, '3', 20_000)
	expect(await measure()).toEqual(few)
	await fill(ada.orgId, '2', 30_000)
	const [all = 0, errors = 0, ...others] = await measure()
	expect(errors).toBeLessThanOrEqual(10_002)
	expect(all).toBeLessThanOrEqual(2 * 10_001 + 20)
	for (const rows of others) expect(rows).toBeLessThanOrEqual(80_000)
	const { statements } = await world.ask(countAssets, { query: { q: 'straw' } }, ada)
	expect(statements.filter((sql) => /\bassets\b/.test(sql))).toHaveLength(1)
})
