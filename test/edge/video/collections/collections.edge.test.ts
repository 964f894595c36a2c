import { beforeEach, describe, expect, test } from 'vitest'
import {
	COLLECTION_COLORS,
	createCollection,
	deleteCollection,
	listCollections,
	updateCollection,
} from '#schema/contract/video/collections.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const create = (name: string, color: (typeof COLLECTION_COLORS)[number] = 'teal') =>
	world.ask(createCollection, { body: { name, color } }, ada)
const list = async (query = {}) => world.ask(listCollections, { query }, ada)

describe('collections', () => {
	test('creates empty collections and lists them oldest first', async () => {
		const first = await create('  Lectures  ')
		expect(first.status).toBe(201)
		expect(first.ok.data).toMatchObject({ name: 'Lectures', color: 'teal', videoCount: 0 })
		const second = await create('電影 🎬', 'pink')
		expect((await list()).ok.data).toEqual([first.ok.data, second.ok.data])
	})

	test('a collection accepts only the twelve colors of the palette', async () => {
		expect(COLLECTION_COLORS).toHaveLength(12)
		for (const color of COLLECTION_COLORS) expect((await create(color, color)).status).toBe(201)
		for (const color of ['', 'black', 'Red', '#ff0000', null, 1])
			expect((await create('x', color as never)).status, String(color)).toBe(400)
	})

	test('accepts collection names of 1 to 255 characters', async () => {
		expect((await create('x'.repeat(255))).status).toBe(201)
		for (const name of ['', '   ', 'x'.repeat(256)]) expect((await create(name)).status).toBe(400)
	})

	test('an update of a collection changes name, color or both, and rejects an empty body', async () => {
		const { id, createdAt } = (await create('Old')).ok.data
		const change = (body: object) => world.ask(updateCollection, { params: { collectionId: id }, body }, ada)
		world.pass(1_000)
		const renamed = (await change({ name: 'New' })).ok.data
		expect(renamed).toMatchObject({ name: 'New', color: 'teal', videoCount: 0, createdAt })
		expect(renamed.updatedAt > createdAt).toBe(true)
		expect((await change({ color: 'red' })).ok.data).toMatchObject({ name: 'New', color: 'red' })
		for (const body of [{}, { name: '' }, { color: 'black' }, { name: null }])
			expect((await change(body)).status, JSON.stringify(body)).toBe(400)
	})

	test('returns 404 for collections of another organization and changes nothing', async () => {
		const { id } = (await create('Mine')).ok.data
		const bo = await world.person()
		const params = { collectionId: id }
		expect((await world.ask(updateCollection, { params, body: { name: 'Yours' } }, bo)).status).toBe(404)
		expect((await world.ask(deleteCollection, { params }, bo)).status).toBe(404)
		expect((await world.ask(listCollections, { query: {} }, bo)).ok.data).toEqual([])
		expect((await list()).ok.data).toMatchObject([{ name: 'Mine' }])
	})

	test('an unknown collection returns 404', async () => {
		for (const collectionId of ['col_00000000000000000000000000', 'nonsense', "' or 1=1 --"]) {
			const params = { collectionId }
			expect((await world.ask(updateCollection, { params, body: { name: 'x' } }, ada)).status).toBe(404)
			expect((await world.ask(deleteCollection, { params }, ada)).status).toBe(404)
		}
	})

	test('a collection is deleted once', async () => {
		const params = { collectionId: (await create('Gone')).ok.data.id }
		const { ok } = await world.ask(deleteCollection, { params }, ada)
		expect(ok.data).toEqual({ id: params.collectionId, deleted: true })
		expect((await world.ask(deleteCollection, { params }, ada)).status).toBe(404)
		expect((await list()).ok.data).toEqual([])
	})

	test('pages collections without gaps or duplicates', async () => {
		for (let i = 0; i < 5; i++) await create(`Collection ${i}`)
		const first = await list({ limit: '3' })
		const cursor = first.headers.get('x-next-cursor') as string
		const rest = await list({ limit: '3', cursor })
		expect(rest.headers.get('x-next-cursor')).toBeNull()
		expect([...first.ok.data, ...rest.ok.data].map(({ name }) => name)).toEqual(
			[0, 1, 2, 3, 4].map((i) => `Collection ${i}`),
		)
	})
})
