import { beforeEach, expect, test } from 'vitest'
import { searchCommunity, searchMembersByBody } from '#schema/contract/community/member/combined-search.ts'
import { getHomeSpace } from '#schema/contract/community/member/spaces.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member({ name: 'Ada Fern' })
	spaceId = await community.space()
})

async function indexAll() {
	for (const table of ['memberships', 'posts'])
		await select(world, `update ${table} set index_at = 0 returning 1`)
	await world.cron('* * * * *')
	await world.deliver()
}

test('a search for both finds members and posts that the caller can see', async () => {
	const secret = await community.space({ visibility: 'private' })
	const seen = await community.post(spaceId, { body: 'About ferns' })
	await community.post(secret, { body: 'Secret ferns' })
	await indexAll()
	const query = { search_text: 'fern' }
	const { ok } = await world.ask(searchCommunity, { query }, ada)
	expect(ok.records.map(({ type, id }) => [type, id])).toEqual([
		['community_member', String(ada.memberId)],
		['post', String(seen)],
	])
	expect(ok.has_next_page).toBe(false)
	await community.post(spaceId, { body: 'More ferns' })
	await indexAll()
	const page = await world.ask(searchCommunity, { query: { ...query, per_page: '1' } }, ada)
	expect([page.ok.records.length, page.ok.has_next_page]).toEqual([2, true])
})

test('members can be searched with the text in the body, and listed without a text', async () => {
	await indexAll()
	const found = await world.ask(searchMembersByBody, { body: { search_text: 'fern' } }, ada)
	expect(found.ok.records.map((one) => one.community_member_id)).toEqual([ada.memberId])
	const all = await world.ask(searchMembersByBody, { body: { filters: [], status: 'active' } }, ada)
	expect(all.ok.records.length).toBe(2)
	const filtered = { filters: [{ key: 'role', value: 'x' }] } as never
	expect((await world.ask(searchMembersByBody, { body: filtered }, ada)).status).toBe(400)
})

test('the home space is the first one by position that the member can see', async () => {
	const hidden = await community.space({ visibility: 'private', position: -2 })
	const first = await community.space({ position: -1 })
	expect((await world.ask(getHomeSpace, {}, ada)).ok.id).toBe(first)
	expect((await world.ask(getHomeSpace, {}, community.owner)).ok.id).toBe(hidden)
	await select(world, `delete from spaces where visibility = 'public' returning 1`)
	expect((await world.ask(getHomeSpace, {}, ada)).status).toBe(404)
})
