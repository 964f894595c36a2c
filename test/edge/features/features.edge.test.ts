import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { requestAccountDeletion } from '#schema/contract/operations/account-deletion.ts'
import { features } from '../../../edge/features.ts'
import type { Person } from '../../support/edge/world.ts'
import { type DeletionWorld, openDeletionWorld } from '../operations/account-deletion/deletion-world.ts'
import { createToys, listToys, toyFeature, toys } from './toy-feature.ts'

let world: DeletionWorld
let ada: Person
let bo: Person

const names = () => world.rows<{ name: string }>('select name from toys order by id')

describe('a feature that is one folder and one line in the list', () => {
	beforeEach(async () => {
		world = await openDeletionWorld({}, { features: [...features, toyFeature] })
		bo = await world.person({ email: 'root@example.org' })
		ada = await world.person({ email: 'ada@example.org' })
		await world.deps(async ({ db }) => {
			await db.all(createToys)
			await db.insert(toys).values([
				{ userId: ada.userId, name: 'kite' },
				{ userId: bo.userId, name: 'ball' },
			])
		})
	})

	// Other files share the database.
	afterEach(() => world.rows('drop table toys'))

	test('a feature is served with the authentication and methods of its contract', async () => {
		expect((await world.ask(listToys, {}, ada)).ok.data).toEqual(['kite'])
		expect((await world.ask(listToys, {})).status).toBe(401)
		const put = await world.fetch(new Request('https://edge.test/v1/toys', { method: 'PUT' }))
		expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
	})

	test('a feature runs at its cron expression, and deletes expired rows each night', async () => {
		await world.cron('* * * * *')
		expect(await world.rows('select id from toys where polished_at is null')).toEqual([])
		await world.deps(({ db }) => db.insert(toys).values({ userId: bo.userId, name: 'broken' }))
		await world.cron('17 3 * * *')
		expect(await names()).toEqual([{ name: 'kite' }, { name: 'ball' }])
	})

	test('a feature follows events beside other followers of the same event', async () => {
		await world.ask(requestAccountDeletion, { body: { confirm_email: ada.email } }, ada)
		await world.settle()
		expect(await names()).toEqual([{ name: 'packed' }, { name: 'ball' }])
		expect(world.mailsTo(ada.email)).not.toEqual([])
	})

	test('the data of a feature is part of an export, and erased with the account', async () => {
		await world.request(ada)
		await world.execute()
		expect(await names()).toEqual([{ name: 'ball' }])
	})
})

test('a feature outside the list is not served', async () => {
	world = await openDeletionWorld()
	ada = await world.person({})
	const { status } = await world.fetch(new Request('https://edge.test/v1/toys'))
	expect(status).toBe(404)
})

test('each message and each path belongs to one feature', () => {
	const consumed = features.flatMap((feature) =>
		'consumers' in feature ? Object.keys(feature.consumers) : [],
	)
	const served = features.flatMap((feature) =>
		('routes' in feature ? feature.routes : []).map(({ op }) => `${op.method} ${op.path}`),
	)
	expect(new Set(consumed).size).toBe(consumed.length)
	expect(new Set(served).size).toBe(served.length)
})
