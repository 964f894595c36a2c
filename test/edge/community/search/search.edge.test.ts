import { beforeEach, describe, expect, test } from 'vitest'
import { updateCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { searchMembers, updateProfile } from '#schema/contract/community/member/members.ts'
import { banMember, hidePost, restorePost } from '#schema/contract/community/member/moderation.ts'
import { createPost, deletePost, searchPosts, updatePost } from '#schema/contract/community/member/posts.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, inviteAndAccept, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	spaceId = await fixture.space()
	// The sweep indexes rows that the test inserts directly into the tables.
	await world.cron('* * * * *')
	await world.deliver()
})

const post = async (
	body: string,
	name: string | null = null,
	space = spaceId,
	who: Member = fixture.owner,
) => {
	const input = { params: { spaceId: String(space) }, body: { name, body } }
	const { id } = (await world.ask(createPost, input, who)).ok
	await world.deliver()
	return id
}
const on = (id: number) => ({ params: { postId: String(id) } })
const searched = (search_text: string, more = {}) => ({ query: { search_text, ...more } })
const found = async (text: string, who: Member = ada) =>
	(await world.ask(searchPosts, searched(text), who)).ok.records.map(({ id }) => id)
const people = async (text: string) =>
	(await world.ask(searchMembers, searched(text), ada)).ok.records.map(({ id }) => id)
const termsOf = (id: number) =>
	select<{ term: string }>(world, `select term from post_terms where post_id = ${id} order by term`)

describe('post search', () => {
	test('finds posts with all words as prefixes, in title or text, newest first', async () => {
		const first = await post('Whales in the north', 'Norway')
		world.pass(1)
		const second = await post('A whale of a time')
		await post('Something else')
		expect(await found('whale')).toEqual([second, first])
		expect(await found('NORW whales')).toEqual([first])
		expect(await found('whales else')).toEqual([])
		const { ok } = await world.ask(searchPosts, searched('whale', { per_page: '1' }), ada)
		expect([ok.records.map(({ id }) => id), ok.has_next_page]).toEqual([[second], true])
		const { ok: next } = await world.ask(searchPosts, searched('whale', { per_page: '1', page: '2' }), ada)
		expect([next.records.map(({ id }) => id), next.has_next_page]).toEqual([[first], false])
	})

	test.each([
		['text inside words', 'Nightmare', 'ightm'],
		['punctuation', 'C++ is here 🎉', '++ is'],
		['an emoji', 'Well done 🎉', '🎉'],
		['letters without their accents', 'Café crème', 'cafe creme'],
		['Chinese', '北京電影院', '電影'],
		['SQL special characters', "50%_off' or 1=1 --", "%_off' or"],
		['a long text', `x ${'y'.repeat(180)}`, 'y'.repeat(180)],
	])('post search finds posts by %s', async (_, body, text) => {
		const id = await post(body)
		await post('Other')
		expect(await found(text)).toEqual([id])
	})

	test('post search treats wildcards as text and rejects empty and long queries', async () => {
		await post('Whales')
		for (const text of ['wh%es', 'w_ales', '*']) expect(await found(text)).toEqual([])
		for (const search_text of ['', ' ', 'x'.repeat(201)])
			expect((await world.ask(searchPosts, searched(search_text), ada)).status).toBe(400)
	})

	test('post search follows changed, hidden, restored and deleted posts', async () => {
		const id = await post('Whales')
		await world.ask(updatePost, { ...on(id), body: { body: 'Wolves' } }, fixture.owner)
		await world.deliver()
		expect([await found('whales'), await found('wolves')]).toEqual([[], [id]])
		await world.ask(hidePost, on(id), fixture.owner)
		expect(await found('wolves')).toEqual([])
		await world.ask(restorePost, on(id), fixture.owner)
		expect(await found('wolves')).toEqual([id])
		await world.ask(deletePost, on(id), fixture.owner)
		expect(await found('wolves')).toEqual([])
		expect(await termsOf(id)).not.toEqual([])
		await world.cron('* * * * *')
		await world.deliver()
		expect(await termsOf(id)).toEqual([])
		expect(await select(world, `select 1 from post_texts where post_id = ${id}`)).toEqual([])
	})

	test("post search returns only visible posts, and invisible word matches don't prevent a text search", async () => {
		const secret = await fixture.space({ visibility: 'secret' })
		const other = await openCommunity(world, 'other')
		await post('Whales', null, await other.space(), other.owner)
		const hidden = await post('Whales', null, secret)
		expect([await found('whales'), await found('hale')]).toEqual([[], []])
		expect(await found('whales', fixture.owner)).toEqual([hidden])
		const inside = await post('Narwhales')
		expect(await found('whales')).toEqual([inside])
		await fixture.grant([ada.memberId], [secret])
		expect(await found('whales')).toEqual([hidden])
	})

	test('post search indexes a post once and records one event for repeated messages', async () => {
		const input = { params: { spaceId: String(spaceId) }, body: { body: 'Whales' } }
		const { id } = (await world.ask(createPost, input, ada)).ok
		const messages = world.messages.splice(0)
		expect(messages).toEqual([{ type: 'community.index', of: 'post', id }])
		expect(await found('whales')).toEqual([])
		// The message is lost; the sweep sends it again after a delay for the queue.
		world.pass(20_000)
		await world.cron('* * * * *')
		for (let i = 0; i < 2; i++) await world.deliver([...messages, ...world.messages])
		expect(await found('whales')).toEqual([id])
		await world.ask(updatePost, { ...on(id), body: { body: 'Wolves' } }, ada)
		await world.deliver()
		const domainEvents = await select<{ payload: string }>(
			world,
			"select payload from outbox where type = 'post.created'",
		)
		expect(domainEvents.map(({ payload }) => JSON.parse(payload))).toEqual([
			{ communityId: fixture.id, postId: id },
		])
	})

	test('post search indexes a new post, which its author then follows, in at most eight statements that all use an index', async () => {
		await world.ask(createPost, { params: { spaceId: String(spaceId) }, body: { body: 'Whales' } }, ada)
		await world.ask(updateProfile, { body: { bio: 'Whales' } }, ada)
		for (const message of world.messages.splice(0)) {
			world.statements.length = 0
			await world.deliver([message])
			const sent = [...world.statements]
			expect(sent.length).toBeLessThanOrEqual(8)
			for (const sql of sent) {
				const plan = await world.plan(sql)
				const scans = plan.filter((line) => /^SCAN (?!CONSTANT ROW|json_each|\()/.test(line))
				expect(scans, `${sql}\n${plan.join('\n')}`).toEqual([])
			}
		}
	})

	test('post search bounds the cost of a common word and finds its newest posts', async () => {
		const count = 3_000
		const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
		const [{ last } = { last: 0 }] = await select<{ last: number }>(
			world,
			'select coalesce(max(id), 0) as last from posts',
		)
		for (const sql of [
			`insert into posts (community_id, space_id, body, created_at, updated_at, index_at) ${many} select ${fixture.id}, ${spaceId}, 'b', i, i, null from n returning 1`,
			`insert into post_terms (community_id, term, post_id) ${many} select ${fixture.id}, 'whale', ${last} + i from n returning 1`,
			`insert into post_texts (community_id, folded, post_id) ${many} select ${fixture.id}, 'b', ${last} + i from n returning 1`,
		])
			await select(world, sql)
		expect((await found('whale')).slice(0, 2)).toEqual([last + count, last + count - 1])
		const far = await world.ask(searchPosts, searched('whale', { page: '101' }), ada)
		expect(far.ok.records).toEqual([])
	})
})

describe('member search', () => {
	test('member search finds active members by name, headline and bio', async () => {
		const hopper = await world.person({ name: 'Grace Hopper' })
		const community = { id: String(fixture.id), owner: fixture.owner }
		const grace = await inviteAndAccept(world, community, hopper, {
			headline: 'Admiral',
			bio: 'Compilers',
		})
		await world.deliver()
		for (const text of ['hop', 'grace admiral', 'compilers', 'opper'])
			expect(await people(text)).toEqual([grace])
		expect((await world.ask(searchMembers, searched('grace'), ada)).ok.records[0]).toMatchObject({
			name: 'Grace Hopper',
			headline: 'Admiral',
		})
		const params = { communityId: community.id, memberId: String(grace) }
		await world.ask(updateCommunityMember, { params, body: { headline: 'Retired' } }, fixture.owner)
		await world.deliver()
		expect([await people('admiral'), await people('retired')]).toEqual([[], [grace]])
		await world.ask(banMember, { params: { memberId: String(grace) } }, fixture.owner)
		expect([await people('grace'), await people('opper')]).toEqual([[], []])
	})

	test('member search indexes the profile of a member separately in each community', async () => {
		const other = await openCommunity(world, 'other')
		const elsewhere = await other.join(ada)
		await world.ask(updateProfile, { body: { headline: 'Gardener' } }, ada)
		await world.deliver()
		expect(await people('gardener')).toEqual([ada.memberId])
		expect((await world.ask(searchMembers, searched('gardener'), elsewhere)).ok.records).toEqual([])
	})
})
