import { beforeEach, expect, test } from 'vitest'
import {
	listAccessGroupMembers,
	listAccessGroupsOfMember,
	putAccessGroupMembers,
} from '#schema/contract/community/manage/access-groups.ts'
import { listCommunityMembers } from '#schema/contract/community/manage/memberships.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { type Community, openCommunity, select } from './community.ts'

let world: World
let community: Community
let group: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	group = await community.grant([], [])
})

const at = (more: object = {}) => ({ params: { communityId: String(community.id), ...more } as never })
const put = (memberIds: number[], more: object = {}, accessGroupId = group) =>
	world.ask(
		putAccessGroupMembers,
		{ ...at({ accessGroupId: String(accessGroupId) }), body: { memberIds, ...more } },
		community.owner,
	)

test('a group takes many members in one call of few statements, and says who is no member', async () => {
	const other = await openCommunity(world, 'other')
	const people = [await community.member(), await community.member(), await other.member()]
	const [ada = 0, bo = 0, foreign = 0] = people.map(({ memberId }) => memberId)
	const { ok } = await put([ada, foreign, bo, ada])
	expect(ok.data).toEqual([
		{ memberId: ada, added: true },
		{ memberId: foreign, added: false },
		{ memberId: bo, added: true },
	])
	const one = (await put([ada])).statements.length
	const expiresAt = '2038-01-01T00:00:00.000Z'
	expect((await put([ada, bo], { expiresAt })).statements).toHaveLength(one)
	const members = await world.ask(
		listAccessGroupMembers,
		{ ...at({ accessGroupId: String(group) }), query: {} },
		community.owner,
	)
	expect(members.ok.data.map((row) => [row.memberId, row.expiresAt])).toEqual([
		[ada, expiresAt],
		[bo, expiresAt],
	])
	const entries = await select<{ user: number }>(
		world,
		"select target_user_id as user from audit_log where action = 'access_group.member_added' order by position limit 2",
	)
	expect(entries.map(({ user }) => user).sort()).toEqual(people.slice(0, 2).map(({ userId }) => userId))
	expect((await put([ada], {}, await other.grant([], []))).status).toBe(404)
	expect((await put([])).status).toBe(400)
})

test('the members list filters by access group, and a member’s access groups are listed', async () => {
	const ada = await community.member()
	await community.member()
	await put([ada.memberId])
	const archived = await community.grant([ada.memberId], [], { status: 'archived' })
	const list = await world.ask(
		listCommunityMembers,
		{ ...at(), query: { accessGroupId: String(group) } } as never,
		community.owner,
	)
	expect(list.ok.data.map(({ memberId }) => memberId)).toEqual([ada.memberId])
	const ofMember = (memberId: number, who = community.owner) =>
		world.ask(listAccessGroupsOfMember, at({ memberId: String(memberId) }), who)
	expect((await ofMember(ada.memberId)).ok.data).toMatchObject([
		{ id: group, status: 'active', expiresAt: null },
		{ id: archived, status: 'archived' },
	])
	const other = await openCommunity(world, 'other')
	expect((await ofMember(ada.memberId, other.owner)).status).toBe(404)
	expect((await ofMember(other.owner.memberId)).status).toBe(404)
})
