import { beforeEach, describe, expect, test } from 'vitest'
import {
	createAsset,
	getAsset,
	listAssets,
	type NewAsset,
	searchAssets,
	standardPublicSettings,
	updateAsset,
} from '#schema/contract/video/assets.ts'
import { createCollection, deleteCollection } from '#schema/contract/video/collections.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const create = (body: Partial<NewAsset>) => world.ask(createAsset, { body: { title: 'Film', ...body } }, ada)
const get = async (assetId: string) => (await world.ask(getAsset, { params: { assetId } }, ada)).ok.data
const collect = async (who = ada) =>
	(await world.ask(createCollection, { body: { name: 'Films', color: 'blue' } }, who)).ok.data.id
const countRows = async () => {
	const dump = await world.dump()
	return ['assets', 'asset_search', 'asset_terms', 'outbox'].map((table) => dump[table]?.length ?? 0)
}

describe('the creation of an asset', () => {
	test('createAsset accepts every field that updateAsset accepts', async () => {
		const fields = {
			title: 'Lecture 1',
			description: 'About the harbour',
			visibility: 'unlisted' as const,
			publicSettings: { allowDownload: true, showComments: false },
			metadata: { course: 'Film' },
			collectionId: await collect(),
		}
		expect(Object.keys(fields).toSorted()).toEqual(Object.keys(updateAsset.body.parse(fields)).toSorted())
		const { id } = (await create(fields)).ok.data
		expect(await get(id)).toMatchObject({
			...fields,
			publicSettings: { ...standardPublicSettings, ...fields.publicSettings },
		})
		const { items } = (await world.ask(searchAssets, { query: { q: 'harbour' } }, ada)).ok.data
		expect(items.map((item) => item.id)).toEqual([id])
		const inCollection = { query: { collectionId: fields.collectionId } }
		expect((await world.ask(listAssets, inCollection, ada)).ok.data).toHaveLength(1)
	})

	test('createAsset rejects a collection that is unknown or of another organization, and creates nothing', async () => {
		const theirs = await collect(await world.person())
		const before = await countRows()
		for (const collectionId of ['col_00000000000000000000000000', theirs]) {
			const refused = await create({ collectionId, description: 'About the harbour' })
			expect([refused.status, refused.error]).toEqual([404, 'no such collection'])
		}
		expect(await countRows()).toEqual(before)
		expect((await create({ collectionId: null })).status).toBe(201)
	})

	test('an asset created while its collection is being deleted is never in the deleted collection', async () => {
		const collectionId = await collect()
		const [...created] = await Promise.all([
			...[1, 2, 3].map(() => create({ collectionId })),
			world.ask(deleteCollection, { params: { collectionId } }, ada),
			create({ collectionId }),
		])
		expect(created.some(({ status }) => status !== 404)).toBe(true)
		const left = (await world.ask(listAssets, { query: {} }, ada)).ok.data
		expect(left.map((asset) => asset.collectionId)).toEqual(left.map(() => null))
	})

	test('creating an asset with every field takes as many statements as with only a title', async () => {
		const full = { description: 'About', publicSettings: { showComments: false }, metadata: { a: 'b' } }
		const plain = await create({})
		const complete = await create({ ...full, collectionId: await collect() })
		expect(complete.status).toBe(201)
		expect(complete.statements).toHaveLength(plain.statements.length)
		expect(plain.statements).toHaveLength(7)
	})
})
