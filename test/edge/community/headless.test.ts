import { beforeEach, describe, expect, test } from 'vitest'
import * as bookmarks from '#schema/contract/community/bookmarks.ts'
import * as events from '#schema/contract/community/events.ts'
import * as followers from '#schema/contract/community/followers.ts'
import * as members from '#schema/contract/community/members.ts'
import { react, unreact } from '#schema/contract/community/post-reactions.ts'
import * as spaces from '#schema/contract/community/spaces.ts'
import { openWorld, type World } from '../world.ts'
import { type Community, insert, openCommunity, select } from './community.ts'

let world: World
let community: Community
let ada: Awaited<ReturnType<Community['member']>>
let spaceId: number
beforeEach(async () => {
	world = await openWorld()
	community = await openCommunity(world)
	ada = await community.member({ avatar_url: 'https://example.org/ada.png' })
	spaceId = await community.space({ name: 'General', slug: 'general' })
})

const envelope = (records: unknown[]) => ({
	page: 1,
	per_page: 20,
	has_next_page: false,
	count: records.length,
	page_count: 1,
	records,
})
const iso = (at: number) => new Date(at).toISOString()
const emoji = '👩‍🚀'

describe('bookmarks', () => {
	const add = (postId: number, who = ada) =>
		world.ask(bookmarks.createBookmark, { body: { bookmarkable_id: postId } }, who)
	const list = (query = {}) => world.ask(bookmarks.listBookmarks, { query }, ada)

	test('are made once, listed as specified, and taken away as often as one likes', async () => {
		const body = emoji.repeat(60)
		const postId = await community.post(spaceId, { body })
		const made = await add(postId)
		expect([made.status, made.ok]).toEqual([201, { success: true }])
		const again = await add(postId)
		expect([again.status, again.ok]).toEqual([200, { success: true }])
		const [row] = await select<{ id: number; created_at: number }>(world, 'select * from bookmarks')
		const name = Array.from(body).slice(0, 100).join('')
		const { ok } = await list()
		expect(ok).toEqual(
			envelope([
				{
					id: row?.id,
					record_id: postId,
					bookmarkable_type: 'Post',
					created_at: iso(row?.created_at ?? 0),
					bookmark_record: {
						id: postId,
						name,
						slug: String(postId),
						url: `/posts/${postId}`,
						space: { id: spaceId, name: 'General', slug: 'general' },
					},
				},
			]),
		)
		const inSpace = await world.ask(
			bookmarks.listSpaceBookmarks,
			{ params: { spaceId: String(spaceId) } },
			ada,
		)
		const link = {
			id: postId,
			name,
			display_type: 'post',
			url: `/posts/${postId}`,
			emoji: null,
			custom_emoji_url: null,
		}
		expect(inSpace.ok).toEqual(envelope([{ id: row?.id, name, display_type: 'post', links: [link] }]))
		for (const id of [String(postId), String(postId), '0', '-1', '9007199254740992']) {
			const gone = await world.ask(bookmarks.deleteBookmark, { params: { postId: id } }, ada)
			expect([gone.status, gone.ok], id).toEqual([200, { success: true }])
		}
		expect((await list()).ok).toEqual(envelope([]))
	})

	test('come in true pages, newest first, ties by id', async () => {
		const now = world.now
		for (let i = 0; i < 5; i++) {
			const postId = await community.post(spaceId)
			await insert(world, 'bookmarks', {
				user_id: ada.userId,
				community_id: community.id,
				post_id: postId,
				created_at: now - (i < 3 ? 0 : 10),
			})
		}
		const seen: number[] = []
		for (const page of ['1', '2', '3']) {
			const { ok } = await list({ page, per_page: '2' })
			expect(ok).toMatchObject({
				page: Number(page),
				per_page: 2,
				count: 5,
				page_count: 3,
				has_next_page: page !== '3',
			})
			seen.push(...ok.records.map(({ id }) => id))
		}
		expect(seen).toEqual([3, 2, 1, 5, 4])
		const past = await list({ page: '9' })
		expect(past.ok).toMatchObject({ page: 9, count: 5, has_next_page: false, records: [] })
		for (const query of [
			{ page: '0' },
			{ page: '-1' },
			{ page: 'x' },
			{ per_page: '0' },
			{ per_page: '101' },
			{ per_page: '1.5' },
		]) {
			const bad = await list(query)
			expect([bad.status, JSON.parse(bad.text)], JSON.stringify(query)).toEqual([
				400,
				{ error: expect.any(String) },
			])
		}
	})

	test('belong to one person in one community, and outlive lost access', async () => {
		const secret = await community.space({ visibility: 'private' })
		const postId = await community.post(secret)
		expect((await add(postId)).status).toBe(404)
		const group = await community.grant([ada.memberId], [secret])
		expect((await add(postId)).status).toBe(201)
		expect((await add(postId, community.owner)).status).toBe(201)
		await select(world, `update access_groups set status = 'archived' where id = ${group} returning id`)
		expect((await list()).ok.count).toBe(0)
		await select(world, `update access_groups set status = 'active' where id = ${group} returning id`)
		expect((await list()).ok.count).toBe(1)
		await select(world, `update posts set deleted_at = 1 where id = ${postId} returning id`)
		expect((await list()).ok.count).toBe(0)
		expect((await add(postId)).status).toBe(404)
	})

	test('take an id of the right type, of a Post', async () => {
		const body = { bookmarkable_id: await community.post(spaceId) }
		for (const bad of [
			{},
			{ bookmarkable_id: null },
			{ bookmarkable_id: '1' },
			{ bookmarkable_id: 1.5 },
			{ ...body, bookmarkable_type: 'Comment' },
			{ ...body, bookmarkable_type: 7 },
		]) {
			const refused = await world.ask(bookmarks.createBookmark, { body: bad as never }, ada)
			expect(refused.status, JSON.stringify(bad)).toBe(400)
		}
		const full = { ...body, bookmarkable_type: 'Post' as const }
		expect((await world.ask(bookmarks.createBookmark, { body: full }, ada)).status).toBe(201)
	})
})

describe('followers of a post', () => {
	const params = (postId: number) => ({ params: { postId: String(postId) } })

	test('come and go, and are listed as specified', async () => {
		const postId = await community.post(spaceId)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await world.ask(followers.followPost, params(postId), ada)
			expect([status, ok]).toEqual([200, { success: true, is_following: true }])
		}
		await world.ask(followers.followPost, params(postId), community.owner)
		const list = () => world.ask(followers.listPostFollowers, params(postId), ada)
		expect((await list()).ok).toEqual(
			envelope([
				{
					id: 1,
					post_id: postId,
					community_member_id: ada.userId,
					name: expect.any(String),
					avatar_url: 'https://example.org/ada.png',
				},
				{
					id: expect.any(Number),
					post_id: postId,
					community_member_id: community.owner.userId,
					name: expect.any(String),
					avatar_url: null,
				},
			]),
		)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await world.ask(followers.unfollowPost, params(postId), ada)
			expect([status, ok]).toEqual([200, { success: true, is_following: false }])
		}
		expect((await list()).ok.count).toBe(1)
	})

	test('may leave a post that they do not see any more', async () => {
		const secret = await community.space({ visibility: 'private' })
		const postId = await community.post(secret)
		const group = await community.grant([ada.memberId], [secret])
		await world.ask(followers.followPost, params(postId), ada)
		await select(world, `update access_groups set status = 'archived' where id = ${group} returning id`)
		expect((await world.ask(followers.listPostFollowers, params(postId), ada)).status).toBe(404)
		expect((await world.ask(followers.unfollowPost, params(postId), ada)).status).toBe(200)
		expect((await world.ask(followers.unfollowPost, params(postId), ada)).status).toBe(404)
	})
})

describe('events', () => {
	const params = (eventId: number) => ({ params: { eventId: String(eventId) } })
	const list = (query = {}, who = ada) => world.ask(events.listCommunityEvents, { query }, who)
	const attend = (eventId: number, who = ada) => world.ask(events.attendEvent, params(eventId), who)
	const leave = (eventId: number, who = ada) => world.ask(events.leaveEvent, params(eventId), who)
	const rsvps = () =>
		select<{ membership_id: number; status: string }>(
			world,
			'select membership_id, status from event_rsvps order by id',
		)

	test('are listed as specified, earliest first', async () => {
		const now = world.now
		const later = await community.event(spaceId, {
			starts_at: now + 9_000,
			virtual_url: 'https://meet.example.org',
		})
		const first = await community.event(spaceId, {
			starts_at: now,
			in_person_location: 'Here',
			host_id: null,
		})
		const tie = await community.event(spaceId, { starts_at: now + 9_000 })
		await community.event(null)
		const { ok } = await list()
		expect(ok.records.map(({ id }) => id)).toEqual([first, later, tie])
		expect(ok).toMatchObject({ page: 1, per_page: 20, count: 3, page_count: 1, has_next_page: false })
		expect(ok.records[1]).toEqual({
			id: later,
			display_title: 'Meeting',
			slug: String(later),
			body_plain_text: 'We meet',
			url: `/events/${later}`,
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			event_type: 'virtual',
			rsvp_count: 0,
			rsvped_event: null,
			event_setting_attributes: {
				starts_at: iso(now + 9_000),
				ends_at: expect.any(String),
				in_person_location: null,
				virtual_location_url: 'https://meet.example.org',
				rsvp_limit: null,
			},
			space: { id: spaceId, name: 'General', slug: 'general' },
			author: { id: community.owner.userId, name: expect.any(String), avatar_url: null },
		})
		expect(ok.records[0]).toMatchObject({
			event_type: 'in_person',
			author: null,
			event_setting_attributes: { in_person_location: 'Here', virtual_location_url: null },
		})
		const pages = await Promise.all(['1', '2'].map((page) => list({ page, per_page: '2' })))
		expect(pages.map(({ ok: page }) => page.records.map(({ id }) => id))).toEqual([[first, later], [tie]])
	})

	test('whose host was deleted have no author', async () => {
		await community.event(spaceId, { host_id: 424_242 })
		expect((await list()).ok.records[0]?.author).toBeNull()
	})

	test('are attended and left, and say so', async () => {
		const id = await community.event(spaceId)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await attend(id)
			expect([status, ok]).toEqual([200, { success: true }])
		}
		expect((await list()).ok.records[0]).toMatchObject({ rsvp_count: 1, rsvped_event: 'going' })
		expect((await list({}, community.owner)).ok.records[0]).toMatchObject({
			rsvp_count: 1,
			rsvped_event: null,
		})
		const [row] = await select<{ created_at: number }>(world, 'select created_at from event_rsvps')
		expect((await world.ask(events.listAttendees, params(id), ada)).ok).toEqual(
			envelope([
				{
					id: 1,
					community_member_id: ada.memberId,
					avatar_url: 'https://example.org/ada.png',
					rsvp_date: iso(row?.created_at ?? 0),
					rsvp_status: 'going',
					name: expect.any(String),
				},
			]),
		)
		for (let i = 0; i < 2; i++) {
			const { status, ok } = await leave(id)
			expect([status, ok]).toEqual([200, { success: true }])
		}
		expect((await list()).ok.records[0]).toMatchObject({ rsvp_count: 0, rsvped_event: null })
	})

	test('let those in who wait longest', async () => {
		const id = await community.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		const [b, c, d] = [await community.member(), await community.member(), await community.member()]
		for (const who of [ada, b, c, d]) await attend(id, who)
		expect((await list({}, c)).ok.records[0]).toMatchObject({ rsvp_count: 1, rsvped_event: 'waitlisted' })
		await attend(id, b)
		await leave(id, c)
		await leave(id, ada)
		const status = (who: { memberId: number }, as: string) => ({ membership_id: who.memberId, status: as })
		expect(await rsvps()).toEqual([status(b, 'going'), status(d, 'waitlisted')])
		await attend(id, ada)
		await leave(id, b)
		expect(await rsvps()).toEqual([status(d, 'going'), status(ada, 'waitlisted')])
		expect((await list()).ok.records[0]?.rsvp_count).toBe(1)
	})

	test('are left also by those who do not see them any more', async () => {
		const secret = await community.space({ visibility: 'secret' })
		const id = await community.event(secret)
		const group = await community.grant([ada.memberId], [secret])
		await attend(id)
		await select(world, `update access_groups set status = 'archived' where id = ${group} returning id`)
		expect((await list()).ok.count).toBe(0)
		expect((await leave(id)).status).toBe(200)
		expect((await leave(id)).status).toBe(404)
		expect(await select(world, 'select going_count from events')).toEqual([{ going_count: 0 }])
	})

	test('are made, shown, changed and deleted by moderators', async () => {
		const moderator = await community.member({ role: 'moderator' })
		const bySpace = { params: { spaceId: String(spaceId) } }
		const body = {
			title: 'Premiere',
			starts_at: '2027-01-01T20:00:00+01:00',
			ends_at: '2027-01-01T22:00:00Z',
			capacity: 1,
			waitlist_enabled: true,
		}
		const create = (more: object, who = moderator) =>
			world.ask(events.createEvent, { ...bySpace, body: { ...body, ...more } }, who)
		expect((await create({}, ada)).status).toBe(403)
		for (const bad of [
			{ ends_at: '2026-01-01T00:00:00Z' },
			{ title: '' },
			{ starts_at: 'soon' },
			{ capacity: 0 },
		])
			expect((await create(bad)).status, JSON.stringify(bad)).toBe(400)
		const made = await create({})
		expect(made.status).toBe(201)
		expect(made.ok).toMatchObject({
			display_title: 'Premiere',
			body_plain_text: '',
			event_type: 'in_person',
			event_setting_attributes: { starts_at: '2027-01-01T19:00:00.000Z', rsvp_limit: null },
			author: { id: moderator.userId },
			capacity: 1,
			waitlist_enabled: true,
			rsvp_count: 0,
		})
		const at = params(made.ok.id)
		for (const who of [ada, moderator, community.owner]) await attend(made.ok.id, who)
		const change = (sent: object, who = moderator) =>
			world.ask(events.updateEvent, { ...at, body: sent }, who)
		expect((await change({ title: 'x' }, ada)).status).toBe(403)
		expect((await change({ ends_at: '2027-01-01T00:00:00Z' })).status).toBe(400)
		expect((await change({})).status).toBe(400)
		const moved = await change({ virtual_location_url: 'https://meet.example.org', title: 'Later' })
		expect(moved.ok).toMatchObject({ display_title: 'Later', event_type: 'virtual', rsvp_count: 1 })
		const order = async () => (await rsvps()).map((row) => row.status)
		expect(await order()).toEqual(['going', 'waitlisted', 'waitlisted'])
		expect((await change({ capacity: 2 })).ok).toMatchObject({ capacity: 2, rsvp_count: 2 })
		expect(await order()).toEqual(['going', 'going', 'waitlisted'])
		expect((await change({ capacity: 1 })).ok.rsvp_count, 'nobody is sent away').toBe(2)
		await leave(made.ok.id)
		expect(await order()).toEqual(['going', 'waitlisted'])
		expect((await change({ capacity: null })).ok).toMatchObject({ capacity: null, rsvp_count: 2 })
		expect(await order()).toEqual(['going', 'going'])
		expect((await world.ask(events.getEvent, at, ada)).ok.rsvp_count).toBe(2)
		expect((await world.ask(events.deleteEvent, at, ada)).status).toBe(403)
		expect((await world.ask(events.deleteEvent, at, moderator)).ok).toEqual({ success: true })
		for (const gone of [
			await world.ask(events.getEvent, at, ada),
			await change({ title: 'x' }),
			await world.ask(events.deleteEvent, at, moderator),
		])
			expect(gone.status).toBe(404)
		expect(await rsvps()).toEqual([])
		const hidden = await community.space({ visibility: 'secret' })
		const there = params(await community.event(hidden))
		for (const answer of [
			await world.ask(events.createEvent, { params: { spaceId: String(hidden) }, body }, moderator),
			await world.ask(events.getEvent, there, moderator),
			await world.ask(events.updateEvent, { ...there, body: { title: 'x' } }, moderator),
			await world.ask(events.deleteEvent, there, moderator),
		])
			expect(answer.status).toBe(404)
	})

	test('of another community are left alone', async () => {
		const other = await openCommunity(world, 'other')
		const id = await other.event(await other.space(), { capacity: 1, waitlist_enabled: 1 })
		const there = await other.join(ada)
		await attend(id, there)
		expect((await leave(id)).status).toBe(404)
		expect(await rsvps()).toHaveLength(1)
	})
})

describe('spaces', () => {
	const at = (id: number) => ({ params: { spaceId: String(id) } })

	test('are listed, shown, joined and left', async () => {
		const record = {
			id: spaceId,
			name: 'General',
			slug: 'general',
			space_type: 'basic',
			space_group_id: null,
		}
		expect((await world.ask(spaces.listSpaces, {}, ada)).ok).toEqual(envelope([record]))
		expect((await world.ask(spaces.getSpace, at(spaceId), ada)).ok).toEqual(record)
		const before = await world.dump()
		for (const op of [spaces.joinSpace, spaces.leaveSpace])
			expect((await world.ask(op, at(spaceId), ada)).ok).toEqual({ success: true })
		expect(await world.dump()).toEqual(before)
	})

	test('of a member are those that the member and the caller see', async () => {
		const groupId = await insert(world, 'space_groups', {
			community_id: community.id,
			name: 'G',
			slug: 'g',
			created_at: 1,
		})
		const both = await community.space({ visibility: 'private', space_group_id: groupId, position: 1 })
		const hers = await community.space({ visibility: 'secret', position: 2 })
		const bo = await community.member()
		await community.grant([ada.memberId, bo.memberId], [both])
		await community.grant([ada.memberId], [hers])
		const ofAda = (who: typeof ada) =>
			world.ask(spaces.listMemberSpaces, { params: { memberId: String(ada.memberId) } }, who)
		const { ok } = await ofAda(bo)
		expect(ok.records.map(({ id }) => id)).toEqual([spaceId, both])
		expect(ok.records[1]).toEqual({
			id: both,
			name: 'Space',
			slug: expect.any(String),
			space_type: 'basic',
			space_group_id: groupId,
		})
		expect((await ofAda(ada)).ok.count).toBe(3)
		expect((await ofAda(community.owner)).ok.count).toBe(3)
		const gone = await community.member({ status: 'inactive' })
		const ofGone = { params: { memberId: String(gone.memberId) } }
		expect((await world.ask(spaces.listMemberSpaces, ofGone, ada)).ok).toEqual(envelope([]))
	})

	test('have topics, the most used first', async () => {
		const tag = (name: string) =>
			insert(world, 'tags', { community_id: community.id, name, slug: name.toLowerCase(), created_at: 1 })
		const [rare, often, never] = [await tag('Rare'), await tag('Often'), await tag('Never')]
		for (const [tagId, count] of [
			[rare, 1],
			[often, 5],
			[never, 0],
		] as const)
			await insert(world, 'space_topics', { space_id: spaceId, tag_id: tagId, posts_count: count })
		expect((await world.ask(spaces.listTopics, at(spaceId), ada)).ok).toEqual(
			envelope([
				{ id: often, name: 'Often', slug: 'often', posts_count: 5, space_id: spaceId },
				{ id: rare, name: 'Rare', slug: 'rare', posts_count: 1, space_id: spaceId },
			]),
		)
	})

	test('are open through groups only while these and their grants last', async () => {
		const open = async (id: number) => (await world.ask(spaces.getSpace, at(id), ada)).status
		const secret = await community.space({ visibility: 'secret' })
		expect(await open(secret)).toBe(404)
		await community.grant([ada.memberId], [secret], { status: 'archived' })
		expect(await open(secret)).toBe(404)
		await community.grant([ada.memberId], [secret], { expiresAt: world.now + 1_000 })
		expect(await open(secret)).toBe(200)
		world.pass(1_000)
		expect(await open(secret)).toBe(404)
	})

	test('have no links', async () => {
		expect((await world.ask(spaces.listCommunityLinks, {}, ada)).ok).toEqual(envelope([]))
	})
})

describe('reactions', () => {
	test('are one for each target of each kind, the last one', async () => {
		const postId = await community.post(spaceId)
		const now = world.now
		const inPost = { community_id: community.id, post_id: postId, created_at: now }
		const commentId = await insert(world, 'post_comments', { ...inPost, body: 'c', updated_at: now })
		const imageId = await insert(world, 'images', { ...inPost, object_key: 'k', content_type: 'image/png' })
		for (const [reactable_type, reactable_id] of [
			['Post', postId],
			['Comment', commentId],
			['Image', imageId],
		] as const) {
			const target = { reactable_type, reactable_id }
			const first = await world.ask(react, { body: target }, ada)
			expect([first.status, first.ok]).toEqual([200, { id: expect.any(Number), reaction: 'like' }])
			const second = await world.ask(react, { body: { ...target, reaction: emoji } }, ada)
			expect(second.ok).toEqual({ id: first.ok.id, reaction: emoji })
			expect((await world.ask(react, { body: target }, community.owner)).ok.id).not.toBe(first.ok.id)
			const none = { reactable_type, reactable_id: 99_999 }
			expect((await world.ask(react, { body: none }, ada)).status).toBe(404)
			expect((await world.ask(unreact, { body: target }, ada)).ok).toEqual({ success: true })
			expect((await world.ask(unreact, { body: target }, ada)).ok).toEqual({ success: true })
		}
		expect(await select(world, 'select id from post_reactions')).toHaveLength(3)
	})

	test('to anything else are 400', async () => {
		for (const body of [
			{},
			{ reactable_type: 'Event', reactable_id: 1 },
			{ reactable_type: 'post', reactable_id: 1 },
			{ reactable_type: 'Post', reactable_id: '1' },
			{ reactable_type: 'Post', reactable_id: 1, reaction: '' },
			{ reactable_type: 'Post', reactable_id: 1, reaction: 7 },
		]) {
			const refused = await world.ask(react, { body: body as never }, ada)
			expect([refused.status, JSON.parse(refused.text)], JSON.stringify(body)).toEqual([
				400,
				{ error: expect.any(String) },
			])
		}
	})
})

describe('members', () => {
	const profile = (memberId: number) =>
		world.ask(members.getPublicProfile, { params: { memberId: String(memberId) } }, ada)

	test('have a profile that counts their comments and the people who follow their posts', async () => {
		const { owner } = community
		const [one, two] = [await community.post(spaceId), await community.post(spaceId)]
		const now = world.now
		const comment = { community_id: community.id, post_id: one, body: 'c', created_at: now, updated_at: now }
		await insert(world, 'post_comments', { ...comment, author_id: owner.userId })
		await insert(world, 'post_comments', { ...comment, author_id: owner.userId, deleted_at: 1 })
		await insert(world, 'post_comments', { ...comment, author_id: owner.userId, community_id: 77 })
		for (const postId of [one, two])
			await world.ask(followers.followPost, { params: { postId: String(postId) } }, ada)
		expect((await profile(owner.memberId)).ok).toEqual({
			id: owner.memberId,
			user_id: owner.userId,
			name: expect.any(String),
			avatar_url: null,
			headline: null,
			bio: null,
			role: 'owner',
			created_at: expect.any(String),
			comments_count: 1,
			followers_count: 1,
			profile_fields: [],
		})
		for (const status of ['invited', 'inactive', 'banned'])
			expect((await profile((await community.member({ status })).memberId)).status, status).toBe(404)
	})

	test('are listed who joined first first, without those who are not active', async () => {
		await community.member({ status: 'banned' })
		const bo = await community.member()
		const page = (query: object) => world.ask(members.listMemberCards, { query }, ada)
		const { ok } = await page({})
		expect(ok.records.map(({ id }) => id)).toEqual([community.owner.memberId, ada.memberId, bo.memberId])
		expect(ok).toMatchObject({ page: 1, per_page: 20, has_next_page: false })
		expect(ok.records[1]).toEqual({
			id: ada.memberId,
			user_id: ada.userId,
			name: expect.any(String),
			avatar_url: 'https://example.org/ada.png',
			headline: null,
			bio: null,
			role: 'member',
			created_at: expect.any(String),
		})
		expect((await page({ per_page: '2' })).ok.has_next_page).toBe(true)
		expect((await page({ per_page: '2', page: '2' })).ok.records.map(({ id }) => id)).toEqual([bo.memberId])
	})

	test('change their profile, and leave unless they are needed', async () => {
		const change = (body: object) => world.ask(members.updateProfile, { body }, ada)
		expect((await change({ headline: 'Hi', bio: 'I film' })).ok).toMatchObject({
			headline: 'Hi',
			bio: 'I film',
			avatar_url: 'https://example.org/ada.png',
		})
		expect((await change({ bio: null })).ok).toMatchObject({ headline: 'Hi', bio: null })
		for (const body of [{}, { avatar_url: 'javascript:x' }, { bio: 7 }])
			expect((await change(body)).status, JSON.stringify(body)).toBe(400)
		expect((await world.ask(members.deactivateMember, {}, community.owner)).status).toBe(403)
		expect((await world.ask(members.deactivateMember, {}, ada)).ok).toEqual({ success: true })
		expect((await world.ask(members.deactivateMember, {}, ada)).status).toBe(403)
		expect((await profile(ada.memberId)).status).toBe(403)
	})

	test('see themselves with their community', async () => {
		const { ok } = await world.ask(members.getCurrentMember, {}, ada)
		expect(ok).toMatchObject({
			id: ada.memberId,
			user_id: ada.userId,
			email: ada.email,
			role: 'member',
			community: { id: community.id, name: 'The club', slug: 'club' },
		})
	})

	test('have the profile fields of the community', async () => {
		const field = { community_id: community.id, required: 0, options: '[]', created_at: 1 }
		await insert(world, 'profile_fields', { ...field, key: 'b', label: 'B', field_type: 'text', position: 2 })
		await insert(world, 'profile_fields', {
			...field,
			key: 'a',
			label: 'A',
			field_type: 'select',
			required: 1,
			options: '["x","y"]',
			position: 1,
		})
		const records = [
			{ id: 2, key: 'a', label: 'A', field_type: 'select', required: true, options: ['x', 'y'] },
			{ id: 1, key: 'b', label: 'B', field_type: 'text', required: false, options: [] },
		]
		for (const op of [members.listProfileFields, members.listPageProfileFields])
			expect((await world.ask(op, {}, ada)).ok).toEqual(envelope(records))
	})
})
