import { beforeEach, expect, test } from 'vitest'
import { createAsset, listAssets } from '#schema/contract/video/assets.ts'
import { openWorld, type Person, type World } from '../../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const films = 'col_00000000000000000000000001'
type Columns = Partial<{
	status: string
	visibility: string
	collection_id: string
	duration_sec: number
	source_size_bytes: number
	subtitles_key: string
	created_at: number
	updated_at: number
}>
const add = async (title: string, columns: Columns = {}) => {
	const { id } = (await world.ask(createAsset, { body: { title } }, ada)).ok.data
	const set = Object.entries(columns).map(([name, value]) => `${name} = '${value}'`)
	if (set.length > 0)
		await world.deps(({ db }) => db.all(`update assets set ${set} where id = '${id}' returning 1`))
	return id
}
type Query = Record<string, string>
const list = (query: Query) => world.ask(listAssets, { query: query as never }, ada)
const titles = async (query: Query) => (await list(query)).ok.data.map(({ title }) => title)
const allTitles = async (query: Query) => {
	const seen: string[] = []
	for (let cursor: string | null = ''; cursor !== null; ) {
		const page: Awaited<ReturnType<typeof list>> = await list({ ...query, ...(cursor && { cursor }) })
		seen.push(...page.ok.data.map(({ title }) => title))
		cursor = page.headers.get('x-next-cursor')
	}
	return seen
}
const at = (ms: number) => new Date(ms).toISOString()

/** A video passes every filter; each of the others fails exactly one. */
const whale = {
	status: 'ready',
	visibility: 'signed',
	collection_id: films,
	subtitles_key: 'subtitles.vtt',
	created_at: 2_000,
}
const filters: Query = {
	q: 'whale',
	status: 'ready,error',
	visibility: 'signed,unlisted',
	collectionId: films,
	hasCaptions: 'true',
	createdAfter: at(2_000),
	createdBefore: at(3_000),
}
const addWhales = async () => {
	await add('Whales', whale)
	await add('Sharks', whale)
	await add('Whale queued', { ...whale, status: 'queued' })
	await add('Whale in public', { ...whale, visibility: 'public' })
	await add('Whale elsewhere', { ...whale, collection_id: 'col_00000000000000000000000002' })
	await add('Whale without captions', { ...whale, subtitles_key: '' })
	await world.deps(({ db }) =>
		db.all("update assets set subtitles_key = null where subtitles_key = '' returning 1"),
	)
	await add('Early whale', { ...whale, created_at: 1_999 })
	await add('Late whale', { ...whale, created_at: 3_000 })
}
const sorts = ['created', 'updated', 'title', 'duration', 'size'].flatMap((sort) => [sort, `-${sort}`])

test.each(sorts)('a list of assets sorted by %s returns only assets that pass all filters', async (sort) => {
	await addWhales()
	expect(await allTitles({ ...filters, sort })).toEqual(['Whales'])
	for (const left of Object.keys(filters)) {
		const { [left]: _, ...others } = filters
		expect(await allTitles({ ...others, sort }), `without ${left}`).toHaveLength(2)
	}
})

test.each([
	['q', { q: 'shark' }, ['Sharks']],
	['status', { status: 'queued' }, ['Whale queued']],
	['visibility', { visibility: 'public' }, ['Whale in public']],
	['collectionId', { collectionId: 'col_00000000000000000000000002' }, ['Whale elsewhere']],
	['hasCaptions', { hasCaptions: 'false' }, ['Whale without captions']],
	['createdAfter', { createdAfter: at(3_000) }, ['Late whale']],
	['createdBefore', { createdBefore: at(2_000) }, ['Early whale']],
])('a list of assets filters by %s alone, in every sort', async (_, query, expected) => {
	await addWhales()
	for (const sort of sorts) expect(await titles({ ...query, sort } as Query), sort).toEqual(expected)
})

test('a list of assets finds captions that were uploaded', async () => {
	const id = await add('Uploaded')
	await add('Silent')
	await world.deps(({ db }) =>
		db.all(
			`insert into asset_subtitles (asset_id, language, key, updated_at) values ('${id}', 'en', 'k', 1) returning 1`,
		),
	)
	expect(await titles({ hasCaptions: 'true' })).toEqual(['Uploaded'])
	expect(await titles({ hasCaptions: 'false' })).toEqual(['Silent'])
})

test('a list of assets finds spoken words, and text without letters', async () => {
	const id = await add('100% wool')
	await add('Silk')
	await world.deps(({ db }) =>
		db.all(`insert into spoken_terms values ('${ada.orgId}', 'sheep', '${id}') returning 1`),
	)
	for (const q of ['sheep', '%', 'woo 100']) expect(await titles({ q }), q).toEqual(['100% wool'])
	expect(await titles({ q: 'sheep wool' })).toEqual([])
})

test.each(sorts)(
	'pages of assets sorted by %s have no gaps or duplicates, whatever is equal or unknown',
	async (sort) => {
		const values = { duration_sec: 1.5, source_size_bytes: 9, created_at: 5, updated_at: 5 }
		for (let i = 0; i < 3; i++) await add('same', values)
		for (const title of ['Beta', 'alpha', 'Ümlaut', '"quotes"']) await add(title)
		const seen: string[] = []
		for (let cursor: string | null = ''; cursor !== null; ) {
			const page: Awaited<ReturnType<typeof list>> = await list({
				sort,
				limit: '2',
				...(cursor && { cursor }),
			})
			seen.push(...page.ok.data.map(({ id }) => id))
			cursor = page.headers.get('x-next-cursor')
		}
		expect(seen).toEqual((await list({ sort })).ok.data.map(({ id }) => id))
		expect(new Set(seen).size).toBe(7)
	},
)

test('assets are sorted by title without regard to case, and unknown durations and sizes count as 0', async () => {
	await add('beta', { duration_sec: 2, source_size_bytes: 1 })
	await add('Alpha', { duration_sec: 1, source_size_bytes: 2 })
	await add('Gamma')
	expect(await titles({ sort: 'title' })).toEqual(['Alpha', 'beta', 'Gamma'])
	expect(await titles({ sort: '-title' })).toEqual(['Gamma', 'beta', 'Alpha'])
	expect(await titles({ sort: '-duration' })).toEqual(['beta', 'Alpha', 'Gamma'])
	expect(await titles({ sort: 'size' })).toEqual(['Gamma', 'beta', 'Alpha'])
})

test('a list of assets refuses unknown values, and a cursor of another sort', async () => {
	await add('One')
	await add('Two')
	const cursor = String((await list({ sort: 'title', limit: '1' })).headers.get('x-next-cursor'))
	for (const query of [
		{ status: 'gone' },
		{ status: 'ready,gone' },
		{ status: '' },
		{ visibility: 'private' },
		{ hasCaptions: 'yes' },
		{ createdAfter: 'yesterday' },
		{ createdBefore: '2026-01-01' },
		{ sort: 'views' },
		{ sort: 'created,title' },
		{ q: 'x'.repeat(201) },
		{ sort: '-title', cursor },
		{ cursor },
	])
		expect((await list(query as unknown as Query)).status, JSON.stringify(query)).toBe(400)
	expect(await titles({ sort: 'title', cursor })).toEqual(['Two'])
})
