import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import { login, updateMe } from '#schema/contract/accounts/identity.ts'
import { createOrg, listOrgs } from '#schema/contract/accounts/orgs.ts'
import { addPostImage } from '#schema/contract/community/member/images.ts'
import { createAsset } from '#schema/contract/video/assets.ts'
import { processAsset } from '#schema/contract/video/transcoding.ts'
import { importSource } from '#schema/contract/video/uploads.ts'
import { createComment, listComments } from '#schema/contract/watch/comments.ts'
import { toggleReaction } from '#schema/contract/watch/reactions.ts'
import { idempotencyStore } from '../../../edge/platform/database/idempotency-store.ts'
import { openWorld, type Person, type World } from '../../support/edge/world.ts'
import { wholePng } from '../../support/shared/whole-pictures.ts'
import { openCommunity } from '../community/community.ts'
import { makeReady } from '../watch/playback/ready-asset.ts'

let world: World
let ada: Person
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
})

const create = (key: string, name = 'Films', who: Person = ada) =>
	world.ask(createOrg, { body: { name } }, { ...who, headers: { 'idempotency-key': key } })
const countOrgs = async (who: Person = ada) => (await world.ask(listOrgs, { query: {} }, who)).ok.data.length

describe('Idempotency-Key', () => {
	test('a repeated Idempotency-Key returns the first response', async () => {
		const first = await create('k1')
		const second = await create('k1')
		expect(second.status).toBe(201)
		expect(second.text).toBe(first.text)
		expect(second.headers.get('idempotent-replayed')).toBe('true')
		expect(await countOrgs()).toBe(2)
	})

	test('an Idempotency-Key answers 422 for a different body, and is separate per user', async () => {
		await create('k1')
		expect((await create('k1', 'Other')).status).toBe(422)
		const eve = await world.person()
		expect((await create('k1', 'Films', eve)).status).toBe(201)
		expect(await countOrgs(eve)).toBe(2)
	})

	test('an Idempotency-Key runs one of ten concurrent requests; the others get 409 or its response', async () => {
		const answers = await Promise.all(Array.from({ length: 10 }, () => create('k1')))
		for (const answer of answers) expect([201, 409]).toContain(answer.status)
		expect(await countOrgs()).toBe(2)
		expect((await create('k1')).status).toBe(201)
	})

	test('an Idempotency-Key expires after a day', async () => {
		await create('k1')
		world.pass(23 * 3_600_000)
		ada.token = await world.logIn(ada)
		expect((await create('k1')).headers.get('idempotent-replayed')).toBe('true')
		world.pass(3_600_001)
		expect((await create('k1')).headers.get('idempotent-replayed')).toBeNull()
		expect(await countOrgs()).toBe(3)
	})

	test('an Idempotency-Key never keeps an error, so that a later retry can succeed', async () => {
		const params = { assetId: (await world.ask(createAsset, { body: { title: 'Film' } }, ada)).ok.data.id }
		const headers = { 'idempotency-key': 'k2' }
		const run = () => world.ask(processAsset, { params }, { ...ada, headers })
		expect((await run()).status).toBe(409)
		await world.ask(importSource, { params, body: { sourceUrl: 'https://example.org/' } }, ada)
		expect((await run()).status).toBe(200)
		expect((await run()).headers.get('idempotent-replayed')).toBe('true')
	})

	test('an Idempotency-Key leaves no row for an anonymous request that fails', async () => {
		for (const key of ['a', 'b', 'c']) {
			const failed = await world.ask(
				createComment,
				{ params: { playbackId: '0'.repeat(22) as never }, body: { body: 'x', authorName: 'A' } },
				{ headers: { 'idempotency-key': key } },
			)
			expect(failed.status).toBe(404)
		}
		expect(await world.deps((d) => d.db.all('select * from idempotency_keys'))).toEqual([])
	})

	test('an Idempotency-Key stores responses encrypted', async () => {
		const made = await world.ask(
			createApiKey,
			{ params: { orgId: ada.orgId }, body: { name: 'x' } },
			{ ...ada, headers: { 'idempotency-key': 'a-key-of-its-own' } },
		)
		const rows = JSON.stringify(await world.deps((d) => d.db.all('select * from idempotency_keys')))
		expect(rows).not.toContain(made.ok.data.key)
		expect(rows).not.toContain('a-key-of-its-own')
		expect(made.ok.data.key).toHaveLength(47)
	})

	test('an Idempotency-Key stores a keyed hash of the body, which nobody can guess without the key', async () => {
		await create('k1')
		await create('k2')
		const rows = await world.deps((d) => d.db.all('select distinct request_hash from idempotency_keys'))
		expect(rows).toHaveLength(2)
	})

	test('an Idempotency-Key lets a repetition run if the first request died', async () => {
		await create('k1')
		await world.deps((d) => d.db.all('update idempotency_keys set status = null, answer = null returning id'))
		expect((await create('k1')).code).toBe('request_in_flight')
		world.pass(61_000)
		expect((await create('k1')).status).toBe(201)
	})

	test('a response that can’t be kept under an Idempotency-Key is sent, and the request does not run again', async () => {
		const fault = (sql: string) => {
			if (sql.startsWith('update "idempotency_keys"')) throw new Error('the disk is full')
		}
		const first = await world.dieDuring(fault, () => create('k1'))
		expect([first.status, (await create('k1')).code]).toEqual([201, 'request_in_flight'])
		expect(await countOrgs()).toBe(2)
	})

	test('a request that outlives its claim of an Idempotency-Key ends no later claim', async () => {
		await world.deps(async ({ db, now }) => {
			const store = idempotencyStore(db)
			const claim = {
				id: 'id',
				requestHash: 'hash',
				now,
				lockedUntil: now + 60_000,
				expiresAt: now + 86_400_000,
			}
			expect(await store.claim(claim)).toBe(true)
			const later = { ...claim, now: now + 61_000, lockedUntil: now + 121_000 }
			expect(await store.claim(later)).toBe(true)
			await store.release(claim)
			await store.storeResponse(claim, 201, 'of the first')
			expect(await store.find('id')).toMatchObject({ status: null, lockedUntil: later.lockedUntil })
			await store.storeResponse(later, 201, 'of the second')
			expect(await store.find('id')).toMatchObject({ status: 201, answer: 'of the second' })
		})
	})

	test('two anonymous callers with the same Idempotency-Key and body get separate responses', async () => {
		const { playbackId } = await makeReady(world, ada)
		const body = { body: 'Great', authorName: 'A' }
		const comment = (ip: string) =>
			world.ask(
				createComment,
				{ params: { playbackId }, body },
				{ ip, headers: { 'idempotency-key': 'retry-1' } },
			)
		const first = await comment('192.0.2.1')
		const again = await comment('192.0.2.1')
		expect([again.ok.data.id, again.headers.get('idempotent-replayed')]).toEqual([first.ok.data.id, 'true'])
		const other = await comment('192.0.2.2')
		expect(other.ok.data.id).not.toBe(first.ok.data.id)
		const list = await world.ask(listComments, { params: { playbackId }, query: {} }, {})
		expect(list.ok.data).toHaveLength(2)
	})

	test('an Idempotency-Key adds an image once, and answers 422 for other bytes', async () => {
		const fixture = await openCommunity(world)
		const postId = await fixture.post(await fixture.space())
		const headers = { ...fixture.headers, 'idempotency-key': 'image-1' }
		const add = (bytes: BodyInit) =>
			world.ask(addPostImage, { params: { postId: String(postId) } }, { ...fixture.owner, headers, bytes })
		const first = await add(wholePng)
		const again = await add(wholePng)
		expect([again.ok.id, again.headers.get('idempotent-replayed')]).toEqual([first.ok.id, 'true'])
		expect((await add(new Blob([wholePng, 'x']))).code).toBe('idempotency_mismatch')
	})

	test('an Idempotency-Key toggles a reaction once', async () => {
		const { playbackId } = await makeReady(world, ada)
		const input = { params: { playbackId }, body: { emoji: '🔥' as const, sessionId: 'session-0001' } }
		const toggle = () => world.ask(toggleReaction, input, { headers: { 'idempotency-key': 'k' } })
		const first = await toggle()
		expect((await toggle()).text).toBe(first.text)
	})

	test('Idempotency-Key neither replays a sign-in nor hinders it', async () => {
		const headers = { 'idempotency-key': 'k' }
		const signIn = (password: string) =>
			world.ask(login, { body: { email: ada.email, password } }, { headers })
		const first = await signIn(ada.password)
		expect([first.status, first.headers.get('idempotency-key-kept')]).toEqual([200, 'no'])
		expect((await signIn('another password')).status).toBe(401)
		expect((await signIn(ada.password)).ok.data.token).not.toBe(first.ok.data.token)
		expect(await world.deps((d) => d.db.all('select * from idempotency_keys'))).toEqual([])
	})

	test('an Idempotency-Key stores nothing where events are deduplicated anyway or a repetition is harmless', async () => {
		await world.ask(updateMe, { body: { name: 'Ada' } }, { ...ada, headers: { 'idempotency-key': 'k' } })
		const rows = await world.deps((d) => d.db.all('select * from idempotency_keys'))
		expect(rows).toEqual([])
	})

	test('an Idempotency-Key must be 1 to 255 visible ASCII characters', async () => {
		for (const key of ['', 'with space', 'x'.repeat(256)]) expect((await create(key)).status, key).toBe(400)
	})
})
