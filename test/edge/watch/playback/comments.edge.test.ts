import { beforeEach, describe, expect, test } from 'vitest'
import { deleteAsset, updateAsset } from '#schema/contract/video/assets.ts'
import {
	createComment,
	deleteComment,
	listAssetComments,
	listComments,
	updateComment,
} from '#schema/contract/watch/comments.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { makeReady } from './ready-asset.ts'

let world: World
let ada: Person
let film: { id: string; playbackId: string }
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	film = await makeReady(world, ada)
})

const videoParams = () => ({ playbackId: film.playbackId })
const assetParams = () => ({ assetId: film.id })
const comment = (body: string, more: { authorName?: string; timestampSec?: number | null } = {}) =>
	world.ask(createComment, { params: videoParams(), body: { authorName: 'Vi', body, ...more } })
const read = (query = {}) => world.ask(listComments, { params: videoParams(), query })
const readAll = (who = ada) => world.ask(listAssetComments, { params: assetParams(), query: {} }, who)
const hide = (commentId: string, hidden: boolean, who = ada) =>
	world.ask(updateComment, { params: { ...assetParams(), commentId }, body: { hidden } }, who)
const remove = (commentId: string, who = ada) =>
	world.ask(deleteComment, { params: { ...assetParams(), commentId } }, who)

describe('comments', () => {
	test('anyone may write comments on a video, and they are listed newest first', async () => {
		const first = await comment('  <b>First</b> 🎬 ', { timestampSec: 3.5 })
		expect(first.status).toBe(201)
		expect(first.ok.data).toMatchObject({ authorName: 'Vi', body: '<b>First</b> 🎬', timestampSec: 3.5 })
		const second = await comment('Second')
		expect((await read()).ok.data).toEqual([second.ok.data, first.ok.data])
		const events = await world.deps((d) =>
			d.db.all<{ payload: string }>("select payload from outbox where type = 'comment.created'"),
		)
		expect(events.map(({ payload }) => JSON.parse(payload).commentId)).toEqual([
			first.ok.data.id,
			second.ok.data.id,
		])
	})

	test('listing comments costs one statement while the asset is cached', { tags: 'd1' }, async () => {
		await comment('Hello')
		await read()
		expect((await read()).statements).toHaveLength(1)
	})

	test('comments are paged without gaps or duplicates', async () => {
		for (let i = 0; i < 5; i++) await comment(`${i}`)
		const first = await read({ limit: '3' })
		const rest = await read({ limit: '3', cursor: first.headers.get('x-next-cursor') })
		expect([...first.ok.data, ...rest.ok.data].map(({ body }) => body)).toEqual(['4', '3', '2', '1', '0'])
		expect(rest.headers.get('x-next-cursor')).toBeNull()
	})

	test('a comment requires a name, a text and a timestamp within the video', async () => {
		expect(
			(await comment('x'.repeat(2_000), { authorName: 'x'.repeat(100), timestampSec: 12.5 })).status,
		).toBe(201)
		for (const [text, more] of [
			['', {}],
			['   ', {}],
			['x'.repeat(2_001), {}],
			['x', { authorName: '' }],
			['x', { authorName: 'x'.repeat(101) }],
			['x', { timestampSec: -1 }],
			['x', { timestampSec: 12.6 }],
			['x', { timestampSec: '1' as never }],
		] as const)
			expect((await comment(text, more)).status, JSON.stringify([text.length, more])).toBe(400)
	})

	test('comments can be neither read nor written if disabled or while the asset is not ready', async () => {
		await comment('Before')
		const show = (showComments: boolean) =>
			world.ask(updateAsset, { params: assetParams(), body: { publicSettings: { showComments } } }, ada)
		await show(false)
		expect([(await read()).code, (await comment('x')).code]).toEqual(['forbidden', 'forbidden'])
		expect((await readAll()).ok.data).toHaveLength(1)
		await show(true)
		await world.deps((d) => d.db.all("update assets set status = 'queued' returning 1"))
		expect((await read()).status).toBe(404)
		expect((await comment('x')).status).toBe(404)
	})

	test('no comment can be written to a deleted asset that is still cached', { tags: 'd1' }, async () => {
		await read()
		await world.deps((d) => d.db.all('delete from assets returning 1'))
		expect((await comment('Too late')).status).toBe(404)
		expect(await world.deps((d) => d.db.all('select * from comments'))).toEqual([])
	})

	test('comments are deleted with their asset', { tags: 'd1' }, async () => {
		await comment('Bye')
		await world.ask(deleteAsset, { params: assetParams() }, ada)
		expect(await world.deps((d) => d.db.all('select * from comments'))).toEqual([])
	})
})

describe('moderation by the organization', () => {
	test('an organization hides comments, shows them again and deletes them', { tags: 'd1' }, async () => {
		const { id } = (await comment('Rude')).ok.data
		await comment('Kind')
		const texts = async () => (await read()).ok.data.map(({ body }) => body)
		expect((await hide(id, true)).ok.data).toMatchObject({ id, hidden: true })
		expect(await texts()).toEqual(['Kind'])
		expect((await readAll()).ok.data.map(({ body, hidden }) => [body, hidden])).toEqual([
			['Kind', false],
			['Rude', true],
		])
		await hide(id, false)
		expect(await texts()).toEqual(['Kind', 'Rude'])
		expect((await remove(id)).ok.data).toEqual({ id, deleted: true })
		expect((await remove(id)).status).toBe(404)
		expect((await hide(id, true)).status).toBe(404)
		expect(await texts()).toEqual(['Kind'])
	})

	test('an organization moderates only comments on its own assets', { tags: 'd1' }, async () => {
		const { id } = (await comment('Mine')).ok.data
		const bo = await world.person()
		const theirs = await makeReady(world, bo)
		expect([(await hide(id, true, bo)).status, (await remove(id, bo)).status]).toEqual([404, 404])
		expect((await readAll(bo)).status).toBe(404)
		const params = { assetId: theirs.id, commentId: id }
		expect((await world.ask(deleteComment, { params }, bo)).status).toBe(404)
		expect((await read()).ok.data).toHaveLength(1)
	})
})
