import { beforeEach, describe, expect, test } from 'vitest'
import * as contract from '#schema/contract/video/saved-views.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const create = (body: object) => world.ask(contract.createSavedView, { body: body as never }, ada)
const change = (viewId: string, body: object, who = ada) =>
	world.ask(contract.updateSavedView, { params: { viewId }, body }, who)
const list = async (who = ada) => (await world.ask(contract.listSavedViews, {}, who)).ok.data

describe('saved views', () => {
	test('saved views can be created, changed and deleted', async () => {
		const filter = { q: 'harbour', status: ['ready', 'error'], hasCaptions: false, collectionId: 'none' }
		const first = (await create({ name: ' Without captions ', filter, sort: 'title' })).ok.data
		expect(first).toMatchObject({ name: 'Without captions', filter, sort: 'title' })
		world.pass(1_000)
		const second = (await create({ name: 'All' })).ok.data
		expect(second).toMatchObject({ filter: null, sort: '-created' })
		expect(await list()).toEqual([first, second])

		const narrowed = (await change(first.id, { filter: { q: 'quay' } })).ok.data
		expect(narrowed).toMatchObject({ name: 'Without captions', filter: { q: 'quay' }, sort: 'title' })
		expect(narrowed.updatedAt > first.updatedAt).toBe(true)
		const all = { filter: null, sort: '-size' }
		expect((await change(first.id, all)).ok.data).toMatchObject(all)
		const remove = () => world.ask(contract.deleteSavedView, { params: { viewId: first.id } }, ada)
		expect((await remove()).ok.data).toEqual({ id: first.id, deleted: true })
		expect((await remove()).status).toBe(404)
		expect(await list()).toEqual([second])
	})

	test('a saved view rejects filters and sorts that the asset list does not have', async () => {
		for (const body of [
			{ name: '' },
			{ name: 'x', filter: {} },
			{ name: 'x', filter: { title: 'harbour' } },
			{ name: 'x', filter: { status: ['done'] } },
			{ name: 'x', sort: 'newest' },
		])
			expect((await create(body)).status, JSON.stringify(body)).toBe(400)
		expect(await list()).toEqual([])
	})

	test('an organization has at most 100 saved views, even if concurrent calls create them', async () => {
		for (let i = 0; i < contract.MAX_SAVED_VIEWS - 1; i++) await create({ name: `View ${i}` })
		const statuses = (await Promise.all([create({ name: 'a' }), create({ name: 'b' })])).map((r) => r.status)
		expect(statuses.sort()).toEqual([201, 409])
		expect(await list()).toHaveLength(100)
	})

	test('other organizations can neither see nor change a saved view', async () => {
		const mine = (await create({ name: 'Mine' })).ok.data
		const bo = await world.person()
		expect(await list(bo)).toEqual([])
		expect((await change(mine.id, { name: 'Yours' }, bo)).status).toBe(404)
		expect((await world.ask(contract.deleteSavedView, { params: { viewId: mine.id } }, bo)).status).toBe(404)
		expect(await list()).toEqual([mine])
	})
})
