import { beforeEach, describe, expect, test } from 'vitest'
import { createApiKey } from '#schema/contract/accounts/api-keys.ts'
import * as access from '#schema/contract/community/manage/access-groups.ts'
import * as communities from '#schema/contract/community/manage/communities.ts'
import * as fields from '#schema/contract/community/manage/profile-fields.ts'
import * as managedSpaces from '#schema/contract/community/manage/spaces.ts'
import { hidePost, restorePost } from '#schema/contract/community/member/moderation.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import * as memberSpaces from '#schema/contract/community/member/spaces.ts'
import { openWorld, type Person, type World } from '../../../support/edge/world.ts'
import { createSpaceIn, inviteAndAccept, memberTokens, select } from '../community.ts'

let world: World
let ada: Person
let id: string
beforeEach(async () => {
	world = await openWorld()
	ada = await world.person()
	const body = { name: 'Film club', slug: 'films' }
	id = String((await world.ask(communities.createCommunity, { body }, ada)).ok.data.id)
})

const addMember = (who: Person) => inviteAndAccept(world, { id, owner: ada }, who)
const space = (body: object) => createSpaceIn(world, { id, owner: ada }, body)

describe('spaces', () => {
	const at = (more: object = {}) => ({ communityId: id, ...more }) as never

	test('creates, groups, updates and deletes spaces', async () => {
		const group = (
			await world.ask(managedSpaces.createSpaceGroup, { params: at(), body: { name: 'G', slug: 'g' } }, ada)
		).ok.data
		const created = await space({ name: 'S', slug: 's', spaceGroupId: group.id, position: 2 })
		expect(created).toMatchObject({ spaceType: 'basic', visibility: 'public', spaceGroupId: group.id })
		const second = await space({ name: 'T', slug: 't', position: 1 })
		const post = (body: object) =>
			world.ask(managedSpaces.createSpace, { params: at(), body: body as never }, ada)
		expect((await post({ name: 'X', slug: 's' })).status).toBe(409)
		expect((await post({ name: 'X', slug: 'x', spaceGroupId: 99 })).status).toBe(404)
		expect((await post({ name: 'X', slug: 'x', spaceType: 'odd' })).status).toBe(400)
		const ids = async () =>
			(await world.ask(managedSpaces.listManagedSpaces, { params: at() }, ada)).ok.data.map((one) => one.id)
		expect(await ids()).toEqual([second.id, created.id])
		const params = at({ spaceId: String(created.id) })
		const change = (body: object) => world.ask(managedSpaces.updateSpace, { params, body }, ada)
		expect((await change({ position: 0, visibility: 'secret' })).ok.data).toMatchObject({
			position: 0,
			visibility: 'secret',
			spaceGroupId: group.id,
		})
		expect((await change({ slug: 't' })).status).toBe(409)
		expect((await change({ spaceGroupId: 99 })).status).toBe(404)
		expect(await ids()).toEqual([created.id, second.id])
		const groupParams = at({ spaceGroupId: String(group.id) })
		const renamed = await world.ask(
			managedSpaces.updateSpaceGroup,
			{ params: groupParams, body: { name: 'H' } },
			ada,
		)
		expect(renamed.ok.data).toMatchObject({ name: 'H', slug: 'g' })
		expect((await world.ask(managedSpaces.listSpaceGroups, { params: at() }, ada)).ok.data).toHaveLength(1)
		expect((await world.ask(managedSpaces.deleteSpaceGroup, { params: groupParams }, ada)).status).toBe(200)
		expect((await world.ask(managedSpaces.deleteSpaceGroup, { params: groupParams }, ada)).status).toBe(404)
		expect((await world.ask(managedSpaces.getManagedSpace, { params }, ada)).ok.data.spaceGroupId).toBeNull()
	})

	test('a space with posts can’t be deleted', async () => {
		const { id: spaceId } = await space({ name: 'S', slug: 's' })
		const remove = () =>
			world.ask(managedSpaces.deleteSpace, { params: at({ spaceId: String(spaceId) }) }, ada)
		await select(
			world,
			`insert into posts (community_id, space_id, body, created_at, updated_at) values (1, ${spaceId}, 'b', 1, 1) returning id`,
		)
		expect((await remove()).status).toBe(409)
		await select(world, 'update posts set deleted_at = 1 returning id')
		expect((await remove()).status).toBe(200)
		expect((await remove()).status).toBe(404)
	})

	test('a space with a restorable hidden post can’t be deleted', async () => {
		const { id: spaceId } = await space({ name: 'S', slug: 's' })
		const remove = () =>
			world.ask(managedSpaces.deleteSpace, { params: at({ spaceId: String(spaceId) }) }, ada)
		const headers = { 'x-community-id': id }
		const inSpace = { params: { spaceId: String(spaceId) }, body: { body: 'b' } }
		const { id: postId } = (await world.ask(posts.createPost, inSpace, { ...ada, headers })).ok
		const of = { params: { postId: String(postId) } }
		expect((await world.ask(hidePost, of, { ...ada, headers })).status).toBe(200)
		expect((await remove()).status).toBe(409)
		expect((await world.ask(restorePost, of, { ...ada, headers })).status).toBe(200)
		expect((await remove()).status).toBe(409)
		await world.ask(hidePost, of, { ...ada, headers })
		// Account deletion erases the text, so the post can't be restored.
		await select(world, "update posts set body = '', title = null returning id")
		expect((await remove()).status).toBe(200)
	})

	test('opens spaces through access groups until the group or the access ends', async () => {
		const { id: spaceId } = await space({ name: 'S', slug: 's', visibility: 'private' })
		const memberId = await addMember(await world.person({ name: 'bo' }))
		const body = { name: 'k', scopes: ['headless:auth' as const] }
		const { key } = (await world.ask(createApiKey, { params: { orgId: ada.orgId }, body }, ada)).ok.data
		const token = (await memberTokens(world, key, memberId)).access_token
		const group = (await world.ask(access.createAccessGroup, { params: at(), body: { name: 'G' } }, ada)).ok
			.data
		expect(group).toMatchObject({ name: 'G', status: 'active' })
		const inGroup = (more: object = {}) => at({ accessGroupId: String(group.id), ...more })
		const isOpen = async () =>
			(await world.ask(memberSpaces.getSpace, { params: { spaceId: String(spaceId) } }, { token })).status ===
			200
		const put = (body?: object) =>
			world.ask(
				access.putAccessGroupMember,
				{ params: inGroup({ memberId: String(memberId) }), ...(body && { body }) } as never,
				ada,
			)
		const bySpace = inGroup({ spaceId: String(spaceId) })
		expect(await isOpen()).toBe(false)
		expect((await put()).ok.data).toEqual({ memberId, expiresAt: null })
		for (let i = 0; i < 2; i++)
			expect((await world.ask(access.putAccessGroupSpace, { params: bySpace }, ada)).ok.data).toEqual({
				spaceId,
			})
		expect(await isOpen()).toBe(true)
		const ends = new Date(world.now + 60_000).toISOString()
		expect((await put({ expiresAt: ends })).ok.data.expiresAt).toBe(ends)
		const listed = await world.ask(access.listAccessGroupMembers, { params: inGroup(), query: {} }, ada)
		expect(listed.ok.data).toEqual([{ memberId, name: 'bo', expiresAt: ends, addedAt: expect.any(String) }])
		const open = await world.ask(access.listAccessGroupSpaces, { params: inGroup() }, ada)
		expect(open.ok.data).toEqual([{ spaceId, name: 'S' }])
		world.pass(60_000)
		expect(await isOpen()).toBe(false)
		await put({ expiresAt: null })
		expect(await isOpen()).toBe(true)
		const change = (body: object) => world.ask(access.updateAccessGroup, { params: inGroup(), body }, ada)
		await change({ status: 'archived' })
		expect(await isOpen()).toBe(false)
		await change({ status: 'active', name: 'H' })
		expect(await isOpen()).toBe(true)
		await world.ask(access.removeAccessGroupSpace, { params: bySpace }, ada)
		expect(await isOpen()).toBe(false)
		await world.ask(access.putAccessGroupSpace, { params: bySpace }, ada)
		const byMember = inGroup({ memberId: String(memberId) })
		expect((await world.ask(access.removeAccessGroupMember, { params: byMember }, ada)).status).toBe(200)
		expect((await world.ask(access.removeAccessGroupMember, { params: byMember }, ada)).status).toBe(404)
		expect(await isOpen()).toBe(false)
		await put()
		expect((await world.ask(access.deleteAccessGroup, { params: inGroup() }, ada)).status).toBe(200)
		expect(await isOpen()).toBe(false)
		expect(await select(world, 'select * from access_group_members')).toEqual([])
		expect(await select(world, 'select * from access_group_spaces')).toEqual([])
		const none = await world.ask(access.listAccessGroups, { params: at(), query: {} }, ada)
		expect(none.ok.data).toEqual([])
	})
})

test('creates, orders, updates and deletes profile fields', async () => {
	const params = { communityId: id }
	const post = (body: object) => world.ask(fields.createProfileField, { params, body: body as never }, ada)
	const first = (await post({ key: 'city', label: 'City', position: 1 })).ok.data
	expect(first).toEqual({
		id: 1,
		key: 'city',
		label: 'City',
		fieldType: 'text',
		required: false,
		options: [],
		position: 1,
	})
	await post({ key: 'diet', label: 'Diet', fieldType: 'select', options: ['all', 'vegan'], required: true })
	expect((await post({ key: 'city', label: 'Again' })).status).toBe(409)
	for (const body of [
		{ key: 'City', label: 'C' },
		{ key: 'c' },
		{ key: 'c', label: 'C', options: ['a', 'a'] },
	])
		expect((await post(body)).status, JSON.stringify(body)).toBe(400)
	const keys = async () =>
		(await world.ask(fields.listManagedProfileFields, { params }, ada)).ok.data.map((field) => field.key)
	expect(await keys()).toEqual(['diet', 'city'])
	const at = { params: { ...params, fieldId: '2' } }
	const changed = await world.ask(
		fields.updateProfileField,
		{ ...at, body: { position: 9, options: ['x'] } },
		ada,
	)
	expect(changed.ok.data).toMatchObject({ position: 9, options: ['x'], required: true })
	expect(await keys()).toEqual(['city', 'diet'])
	expect((await world.ask(fields.deleteProfileField, at, ada)).status).toBe(200)
	expect((await world.ask(fields.deleteProfileField, at, ada)).status).toBe(404)
	expect(await keys()).toEqual(['city'])
})
