import { beforeEach, expect, test } from 'vitest'
import { createAsset, getAsset, updateAsset } from '#schema/contract/video/assets.ts'
import { uploadSource } from '#schema/contract/video/uploads.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'

let world: World
let ada: Person
let params: { assetId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	params = { assetId: (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id }
})

const get = () => world.ask(getAsset, { params }, ada)
const readTag = async () => (await get()).headers.get('etag') ?? ''
const change = (body: object, tag?: string) =>
	world.ask(
		updateAsset,
		{ params, body },
		{ ...ada, ...(tag !== undefined && { headers: { 'if-match': tag } }) },
	)

test('an update with the entity tag of an asset succeeds once; a second one fails and names the changed fields', async () => {
	const tag = await readTag()
	const changed = await change({ title: 'Mine', metadata: { by: 'ada', a: '"é' } }, tag)
	expect(changed.headers.get('etag')).toBe(await readTag())
	const refused = await change({ title: 'Yours', description: 'harbour' }, tag)
	expect([refused.status, refused.code]).toEqual([412, 'precondition_failed'])
	expect(refused.headers.get('x-error-fields')).toBe('metadata, title')
	expect((await get()).ok.data).toMatchObject({ title: 'Mine', description: null })
	const settings = { publicSettings: { showComments: false } }
	const again = await change(settings, changed.headers.get('etag') ?? '')
	expect((await change({ description: 'harbour' }, again.headers.get('etag') ?? '')).status).toBe(200)
	expect((await change({ title: 'Theirs' })).status).toBe(200)
	expect((await change({ title: 'Anybody' }, '*')).status).toBe(200)
	for (const wrong of ['film', '"film'])
		expect((await change({ title: 'Wrong' }, wrong)).headers.get('x-error-fields')).toBe('If-Match')
})

test('an asset accepts only one of several concurrent updates with the same entity tag', async () => {
	const tag = await readTag()
	const all = await Promise.all([1, 2, 3, 4].map((n) => change({ title: `Film ${n}` }, tag)))
	expect(all.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412])
	const winner = all.find(({ status }) => status === 200)
	expect((await get()).ok.data.title).toBe(winner?.ok.data.title)
})

test('processing does not change the entity tag, and an update without If-Match takes one statement fewer', async () => {
	const tag = await readTag()
	await world.ask(uploadSource, { params }, { ...ada, bytes: 'the film' })
	expect(await readTag()).toBe(tag)
	const plain = await change({ title: 'Plain' })
	const matched = await change({ title: 'Matched' }, await readTag())
	expect(matched.statements.length - plain.statements.length).toBe(1)
	expect(plain.statements).toHaveLength(6)
	const gone = { params: { assetId: 'ast_00000000000000000000000000' }, body: { title: 'x' } }
	const headers = { 'if-match': tag }
	expect((await world.ask(updateAsset, gone, { ...ada, headers })).status).toBe(404)
})
