import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApiKey, deleteApiKey } from '#schema/contract/accounts/api-keys.ts'
import { createEventStreamToken, streamEvents } from '#schema/contract/accounts/webhooks/event-stream.ts'
import { createAsset, deleteAsset } from '#schema/contract/video/assets.ts'
import { type Listening, listenTo } from '../../../../support/edge/listen.ts'
import { openWorld, type Person, type Who, type World } from '../../../../support/edge/world.ts'

let world: World
let ada: Person
const opened: Listening[] = []
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})
afterEach(async () => {
	for (const stream of opened.splice(0)) await stream.end()
})

async function open(query: Record<string, string>) {
	const response = await listenTo(world, `${streamEvents.path}?${new URLSearchParams(query)}`)
	if (response.listening) opened.push(response.listening)
	return response
}

/** Opens a stream as a page does: it sends nothing but a token. */
async function listen(who: Who, types: string[] = [], after?: string) {
	const asked = await world.ask(createEventStreamToken, { body: { types } } as never, who)
	const { listening } = await open({ token: asked.ok.data.token, ...(after && { after }) })
	if (!listening) throw new Error('no stream')
	return { ...listening, first: await listening.next() }
}
const create = async (title: string, who: Who = ada) =>
	(await world.ask(createAsset, { body: { title } }, who)).ok.data.id
const remove = (assetId: string) => world.ask(deleteAsset, { params: { assetId } }, ada)
const keyWith = async (...scopes: string[]) =>
	(await world.ask(createApiKey, { params: { orgId: ada.orgId }, body: { name: 'k', scopes } } as never, ada))
		.ok.data

test('an event stream sends the events of its organization once and in order, and none of others', async () => {
	const stream = await listen(ada)
	expect(stream.first?.data).toEqual({ type: 'ready' })
	await create('Foreign', await world.person())
	const id = await create('Film')
	const event = await stream.next()
	expect(event?.data).toMatchObject({ type: 'asset.created', data: { assetId: id, title: 'Film' } })
	expect(event?.id).toBe(String(event?.data.sequence))
	await remove(id)
	expect((await stream.next())?.data).toMatchObject({ type: 'asset.deleted', data: { assetId: id } })
})

test('an event stream resumes after the last received event, even if nobody was connected since', async () => {
	await create('One')
	const first = await listen(ada)
	const after = first.first?.id ?? ''
	await first.end()
	const ids = [await create('Two'), await create('Three')]
	const second = await listen(ada, [], after)
	expect(second.first).toMatchObject({ id: after, data: { type: 'ready' } })
	for (const id of ids) expect((await second.next())?.data).toMatchObject({ data: { assetId: id } })
	expect((await listen(ada, [], '999999')).first?.data).toEqual({ type: 'reset' })
})

test('an event stream sends hundreds of missed events to a client that reads them', async () => {
	const id = await create('One')
	const after = (await listen(ada)).first?.id ?? ''
	await world.deps(({ db }) =>
		db.all(`
			insert into outbox (id, type, org_id, sequence, payload, created_at, due_at, done_at)
			with recursive n(i) as (select 1 union all select i + 1 from n where i < 200)
			select 'evt_' || printf('%026d', i), type, org_id, sequence + i, payload, created_at, due_at, done_at
			from outbox, n where type = 'asset.created' and payload like '%${id}%' returning 1
		`),
	)
	await create('Last')
	const stream = await listen(ada, [], after)
	expect(stream.first).toMatchObject({ id: after, data: { type: 'ready' } })
	const sequences: number[] = []
	for (let n = 0; n < 201; n++) sequences.push(Number((await stream.next())?.data.sequence))
	expect(sequences).toEqual(Array.from({ length: 201 }, (_, n) => Number(after) + n + 1))
})

test('an event stream sends an API key only requested types that it may read', async () => {
	const { key } = await keyWith('read')
	const some = await listen({ key }, ['asset.deleted'])
	const id = await create('Film')
	await remove(id)
	expect((await some.next())?.data).toMatchObject({ type: 'asset.deleted' })
	const refused = await world.ask(createEventStreamToken, { body: { types: ['audit.recorded'] } }, { key })
	expect(refused.status).toBe(403)
	const all = await listen({ key })
	await create('Another')
	expect((await all.next())?.data).toMatchObject({ type: 'asset.created' })
})

test('an event stream sends nothing 30 seconds after its key was deleted or its role changed', async () => {
	const { key, id: keyId } = await keyWith('read')
	const owner = await listen(ada)
	const byKey = await listen({ key })
	await world.ask(deleteApiKey, { params: { orgId: ada.orgId, keyId } }, ada)
	world.pass(30_000)
	await create('Film')
	expect(await byKey.next()).toBeNull()
	expect((await owner.next())?.data).toMatchObject({ type: 'asset.created' })
	await world.deps(({ db }) =>
		db.all(`update org_members set role = 'member' where user_id = ${ada.userId} returning role`),
	)
	world.pass(30_000)
	await create('Film')
	expect(await owner.next()).toBeNull()
})

test('opens one event stream with a token', async () => {
	const { token } = (await world.ask(createEventStreamToken, { body: { types: [] } }, ada)).ok.data
	expect((await open({ token })).status).toBe(200)
	expect((await open({ token })).status).toBe(401)
	expect((await open({ token: `${token}x` })).status).toBe(401)
})

test('an event stream rejects the parameter types if the token already contains the types', async () => {
	const { token } = (await world.ask(createEventStreamToken, { body: { types: [] } }, ada)).ok.data
	const refused = await open({ token, types: 'asset.created' })
	expect([refused.status, refused.headers.get('x-error-fields')]).toEqual([400, 'types'])
})

test('creating an asset takes the same statements with and without open event streams', async () => {
	const count = async () => {
		await create('Film')
		return world.statements.length
	}
	await create('Film')
	const alone = await count()
	for (let n = 0; n < 5; n++) await listen(ada)
	expect(await count()).toBe(alone)
})
