import { beforeEach, describe, expect, test } from 'vitest'
import { listAccessGroupMembers } from '#schema/contract/community/manage/access-groups.ts'
import { acceptCommunityInvitation } from '#schema/contract/community/manage/invitations.ts'
import {
	addCommunityMember,
	getCommunityMember,
	listCommunityMembers,
	removeCommunityMember,
	updateCommunityMember,
} from '#schema/contract/community/manage/memberships.ts'
import { getMemberPoints } from '#schema/contract/community/manage/points.ts'
import { createBookmark } from '#schema/contract/community/member/bookmarks.ts'
import { readCalendarFeed, resetCalendarFeed } from '#schema/contract/community/member/calendar.ts'
import { attendEvent, getEvent, listAttendees } from '#schema/contract/community/member/events.ts'
import { followPost, listPostFollowers } from '#schema/contract/community/member/followers.ts'
import {
	deactivateMember,
	getCurrentMember,
	getPublicProfile,
	listMemberCards,
	searchMembers,
	updateProfile,
} from '#schema/contract/community/member/members.ts'
import { banMember, flagContent, listFlags } from '#schema/contract/community/member/moderation.ts'
import { listNotifications } from '#schema/contract/community/member/notifications.ts'
import {
	createPostComment,
	listMemberComments,
	listPostComments,
} from '#schema/contract/community/member/post-comments.ts'
import { listPostReactions, react } from '#schema/contract/community/member/post-reactions.ts'
import { getPost, listMemberPosts } from '#schema/contract/community/member/posts.ts'
import { listMemberSpaces } from '#schema/contract/community/member/spaces.ts'
import { listMemberTokens } from '#schema/contract/community/member/tokens.ts'
import { eventStore } from '../../../../edge/community/events/store.ts'
import { moderationStore } from '../../../../edge/community/moderation/store.ts'
import { notificationStore } from '../../../../edge/community/notifications/store.ts'
import { reactionStore } from '../../../../edge/community/reactions/store.ts'
import { invitationTokenIn } from '../../../support/edge/mailbox.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, memberTokens, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
let bo: Member
let cy: Member
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	bo = await fixture.member()
	cy = await fixture.member()
})

const of = (who: Member) => ({ params: { communityId: String(fixture.id), memberId: String(who.memberId) } })
/** Runs the sweep and delivers all pending messages. */
async function settle() {
	world.pass(20_000)
	await world.cron('* * * * *')
	await world.deliver()
}
const change = (who: Member, body: { status?: 'inactive' | 'banned' | 'active'; role?: 'member' }) =>
	world.ask(updateCommunityMember, { ...of(who), body }, fixture.owner)
const roles = async () =>
	(
		await select<{ role: string }>(
			world,
			`select role from memberships where community_id = ${fixture.id} and status = 'active' order by id`,
		)
	).map(({ role }) => role)
const eventTypes = async () =>
	(
		await select<{ type: string }>(world, "select type from outbox where type like 'member.%' order by rowid")
	).map(({ type }) => type)

const kindsOf = async (who: Member) =>
	(await world.ask(listNotifications, { query: {} }, who)).ok.records.map(({ kind }) => kind)

describe('event places of a member', { tags: 'd1' }, () => {
	const endings: [string, (who: Member) => Promise<{ status: number }>, string][] = [
		['the member leaves', (who) => world.ask(deactivateMember, {}, who), 'member.left'],
		['the organization deactivates the member', (who) => change(who, { status: 'inactive' }), 'member.left'],
		[
			'a moderator bans the member',
			(who) => world.ask(banMember, { params: { memberId: String(who.memberId) } }, fixture.owner),
			'member.banned',
		],
		['the organization bans the member', (who) => change(who, { status: 'banned' }), 'member.banned'],
		[
			'the organization removes the member',
			(who) => world.ask(removeCommunityMember, of(who), fixture.owner),
			'member.deleted',
		],
	]
	test.each(endings)(
		'gives the place at an upcoming event to the waitlist when %s',
		async (_, leave, type) => {
			const isRemoval = type === 'member.deleted'
			const spaceId = await fixture.space()
			const full = { capacity: 1, waitlist_enabled: 1 }
			const next = await fixture.event(spaceId, { ...full, ends_at: world.now + 1_000_000 })
			const past = await fixture.event(spaceId, full)
			const on = (id: number) => ({ params: { eventId: String(id) } })
			for (const id of [next, past]) for (const who of [ada, bo]) await world.ask(attendEvent, on(id), who)
			await fixture.endEvent(past)
			expect((await leave(ada)).status).toBe(200)
			const going = async (id: number) =>
				(await world.ask(listAttendees, on(id), bo)).ok.records.map((one) => [
					one.community_member_id,
					one.rsvp_status,
				])
			expect(await going(next)).toEqual([[bo.memberId, 'going']])
			expect((await world.ask(getEvent, on(next), bo)).ok.rsvp_count).toBe(1)
			// The queue already holds the notification, so no sweep is needed.
			await world.deliver()
			expect(await kindsOf(bo)).toContain('event_place')
			await settle()
			expect(await going(next)).toEqual([[bo.memberId, 'going']])
			expect(await going(past)).toEqual(
				isRemoval
					? [[bo.memberId, 'waitlisted']]
					: [
							[ada.memberId, 'going'],
							[bo.memberId, 'waitlisted'],
						],
			)
			expect(await eventTypes()).toEqual(type === 'member.left' ? [type] : ['member.left', type])
		},
	)
})

test('keeps the content of a member who leaves or is deactivated, but not places at upcoming events', {
	tags: 'd1',
}, async () => {
	const spaceId = await fixture.space()
	const full = { capacity: 1, waitlist_enabled: 1 }
	const next = await fixture.event(spaceId, { ...full, ends_at: world.now + 1_000_000 })
	const past = await fixture.event(spaceId, full)
	const on = (id: number) => ({ params: { eventId: String(id) } })
	for (const id of [next, past]) for (const who of [ada, bo, cy]) await world.ask(attendEvent, on(id), who)
	await fixture.endEvent(past)
	const bookmark = { body: { bookmarkable_id: await fixture.post(spaceId) } }
	await world.ask(createBookmark, bookmark, ada)
	await world.ask(deactivateMember, {}, ada)
	await change(cy, { status: 'inactive' })
	await settle()
	expect(await eventTypes()).toEqual(['member.left', 'member.left'])
	for (const who of [ada, cy]) {
		expect((await world.ask(getCurrentMember, {}, who)).status).toBe(403)
		await change(who, { status: 'active' })
	}
	const places = async (id: number) =>
		(await world.ask(listAttendees, on(id), ada)).ok.records.map((one) => [
			one.community_member_id,
			one.rsvp_status,
		])
	expect(await places(next)).toEqual([[bo.memberId, 'going']])
	expect(await places(past)).toEqual([
		[ada.memberId, 'going'],
		[bo.memberId, 'waitlisted'],
		[cy.memberId, 'waitlisted'],
	])
	expect((await world.ask(createBookmark, bookmark, ada)).status, 'the bookmark was kept').toBe(200)
	expect(await kindsOf(bo)).toEqual(['event_place'])
})

test('keeps event places when the end of a membership is rejected', { tags: 'd1' }, async () => {
	const eventId = await fixture.event(await fixture.space(), { ends_at: world.now + 1_000_000 })
	const on = { params: { eventId: String(eventId) } }
	const admin = await fixture.member({ role: 'admin' })
	const moderator = await fixture.member({ role: 'moderator' })
	for (const who of [admin, ada]) await world.ask(attendEvent, on, who)
	const ban = { params: { memberId: String(admin.memberId) } }
	expect((await world.ask(deactivateMember, {}, admin)).status).toBe(403)
	expect((await world.ask(banMember, ban, moderator)).status).toBe(403)
	const byOutsider = { ...of(ada), body: { status: 'banned' as const } }
	expect((await world.ask(updateCommunityMember, byOutsider, bo)).status).toBe(404)
	expect((await world.ask(getEvent, on, bo)).ok.rsvp_count).toBe(2)
	expect(await select(world, 'select id from event_rsvps')).toHaveLength(2)
})

test.each<[string, (who: Member) => Promise<unknown>]>([
	['leaves', (who) => world.ask(deactivateMember, {}, who)],
	['is deactivated', (who) => change(who, { status: 'inactive' })],
	['is banned', (who) => world.ask(banMember, { params: { memberId: String(who.memberId) } }, fixture.owner)],
])('keeps the old calendar URL invalid for a member who %s and returns', { tags: 'd1' }, async (_, leave) => {
	const { url } = (await world.ask(resetCalendarFeed, {}, ada)).ok
	const read = async () => {
		const feedFile = new URL(url).pathname.split('/').at(-1) as string
		return (await world.ask(readCalendarFeed, { params: { feedFile } })).status
	}
	expect(await read()).toBe(200)
	await leave(ada)
	await change(ada, { status: 'active' })
	expect((await world.ask(getCurrentMember, {}, ada)).status).toBe(200)
	expect(await read()).toBe(404)
})

test('a member who returns before the cleanup gets all back but tokens, calendar feed and places', {
	tags: 'd1',
}, async () => {
	const spaceId = await fixture.space()
	const eventId = await fixture.event(spaceId, { ends_at: world.now + 1_000_000 })
	await world.ask(attendEvent, { params: { eventId: String(eventId) } }, ada)
	const tokens = await memberTokens(world, await fixture.key(), ada.memberId)
	await change(ada, { status: 'banned' })
	await change(ada, { status: 'active' })
	await settle()
	expect((await world.ask(getCurrentMember, {}, { token: tokens.access_token })).status).toBe(401)
	expect(await select(world, 'select id from event_rsvps')).toEqual([])
})

test('records one end and one ban when an active member is banned', { tags: 'd1' }, async () => {
	await change(ada, { status: 'banned' })
	await change(ada, { status: 'inactive' })
	await change(bo, { role: 'member' })
	expect(await eventTypes()).toEqual(['member.left', 'member.banned'])
})

describe('removed members', () => {
	const ofMember = (who: Member) => ({ params: { memberId: String(who.memberId) }, query: {} })
	/** Creates rows of every kind that a member can have, among them a full event for which Bo waits. */
	async function createMemberRows(who: Member) {
		const spaceId = await fixture.space()
		const postId = await fixture.post(spaceId)
		const eventId = await fixture.event(spaceId, {
			capacity: 1,
			waitlist_enabled: 1,
			ends_at: world.now + 1_000_000,
		})
		const on = { params: { postId: String(postId) } }
		const at = { params: { eventId: String(eventId) } }
		await world.ask(createPostComment, { ...on, body: { body: 'Mine' } }, who)
		await world.ask(react, { body: { reactable_type: 'Post', reactable_id: postId } }, who)
		await world.ask(createBookmark, { body: { bookmarkable_id: postId } }, who)
		await world.ask(followPost, on, who)
		const flag = { content_type: 'Post' as const, content_id: postId, reason: 'r' }
		await world.ask(flagContent, { body: flag }, who)
		for (const one of [who, bo]) await world.ask(attendEvent, at, one)
		await world.ask(resetCalendarFeed, {}, who)
		await memberTokens(world, await fixture.key(), who.memberId)
		await world.ask(updateProfile, { body: { bio: 'Unusual' } }, who)
		await settle()
		return { on, at }
	}

	test('hides a removed member immediately and gives away their event place', { tags: 'd1' }, async () => {
		const { on, at } = await createMemberRows(ada)
		const group = await fixture.grant([ada.memberId], [])
		expect((await world.ask(removeCommunityMember, of(ada), fixture.owner)).status).toBe(200)
		expect((await world.ask(getCurrentMember, {}, ada)).status).toBe(403)
		for (const op of [listMemberSpaces, getPublicProfile, listMemberPosts, listMemberComments])
			expect((await world.ask(op, ofMember(ada), bo)).status, op.id).toBe(404)
		for (const op of [getCommunityMember, removeCommunityMember, listMemberTokens, getMemberPoints])
			expect((await world.ask(op, of(ada), fixture.owner)).status, op.id).toBe(404)
		expect((await change(ada, { status: 'active' })).status).toBe(404)
		const managed = { params: { communityId: String(fixture.id) }, query: {} }
		const inGroup = { ...managed, params: { ...managed.params, accessGroupId: String(group) } }
		const found = { query: { search_text: 'unusual' } }
		const lists = [
			(await world.ask(listCommunityMembers, managed, fixture.owner)).text,
			(await world.ask(listAccessGroupMembers, inGroup, fixture.owner)).text,
			(await world.ask(listMemberCards, { query: {} }, bo)).text,
			(await world.ask(searchMembers, found, bo)).text,
			(await world.ask(listPostFollowers, on, bo)).text,
			(await world.ask(listPostReactions, { ...on, query: {} }, bo)).text,
			(await world.ask(listFlags, { query: {} }, fixture.owner)).text,
			(await world.ask(listAttendees, at, bo)).text,
		].join()
		expect(lists).not.toContain('Person 2')
		const post = (await world.ask(getPost, on, bo)).ok
		expect([post.comments_count, post.reactions]).toEqual([1, {}])
		const author = (await world.ask(getPublicProfile, ofMember(fixture.owner), bo)).ok
		expect(author.followers_count).toBe(0)
		const { rsvped_event, rsvp_count } = (await world.ask(getEvent, at, bo)).ok
		expect([rsvped_event, rsvp_count]).toEqual(['going', 1])
		const [comment] = (await world.ask(listPostComments, { ...on, query: {} }, bo)).ok.records
		expect(comment?.author).toMatchObject({ name: 'Person 2', community_member_id: null })
	})

	test('deletes the rows of a removed member later and keeps their posts and comments', {
		tags: 'd1',
	}, async () => {
		const { on } = await createMemberRows(ada)
		await world.ask(removeCommunityMember, of(ada), fixture.owner)
		await world.deliver()
		const removed = await select<{ payload: string }>(
			world,
			"select payload from outbox where type = 'member.deleted' and done_at is not null",
		)
		expect(removed).toHaveLength(1)
		for (const table of ['bookmarks', 'post_followers'])
			expect(await select(world, `select 1 from ${table} where user_id = ${ada.userId}`), table).toEqual([])
		for (const table of [
			'member_terms',
			'member_texts',
			'post_reactions',
			'flags',
			'event_rsvps',
			'member_grants',
			'calendar_feeds',
			'notifications',
		])
			expect(
				await select(world, `select 1 from ${table} where membership_id = ${ada.memberId}`),
				table,
			).toEqual([])
		expect((await world.ask(getPost, on, bo)).ok.comments_count).toBe(1)
		// A message can be delivered twice.
		await select(world, 'update outbox set done_at = null, due_at = 0 returning 1')
		await world.cron('* * * * *')
		await world.deliver()
	})

	test('lets a removed member return immediately and keeps what they do afterwards', {
		tags: 'd1',
	}, async () => {
		const { on, at } = await createMemberRows(ada)
		const messages = world.messages.length
		await world.ask(removeCommunityMember, of(ada), fixture.owner)
		const delayedMessages = world.messages.splice(messages)
		const again = { params: { communityId: String(fixture.id) }, body: { email: ada.email } }
		expect((await world.ask(addCommunityMember, again, fixture.owner)).status).toBe(201)
		const token = await invitationTokenIn(world)
		const { memberId } = (await world.ask(acceptCommunityInvitation, { body: { token } }, ada)).ok.data
		expect(memberId).not.toBe(ada.memberId)
		await world.ask(createBookmark, { body: { bookmarkable_id: Number(on.params.postId) } }, ada)
		await world.ask(followPost, on, ada)
		await world.ask(attendEvent, at, ada)
		await world.deliver(delayedMessages)
		const post = (await world.ask(getPost, on, ada)).ok
		expect(post.is_following).toBe(true)
		expect((await world.ask(listAttendees, at, ada)).ok.records).toMatchObject([
			{ community_member_id: bo.memberId, rsvp_status: 'going' },
			{ community_member_id: memberId, rsvp_status: 'waitlisted' },
		])
	})

	test('removes a member once for two concurrent requests', async () => {
		await createMemberRows(ada)
		const answers = await Promise.all(
			[1, 2].map(() => world.ask(removeCommunityMember, of(ada), fixture.owner)),
		)
		expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
		expect(await eventTypes()).toEqual(['member.left', 'member.deleted'])
	})

	test('a request in progress when its member was removed writes nothing', {
		tags: 'd1',
	}, async () => {
		const { on, at } = await createMemberRows(ada)
		await world.ask(removeCommunityMember, of(ada), fixture.owner)
		await world.deliver()
		const viewer = {
			userId: ada.userId,
			membershipId: ada.memberId,
			communityId: fixture.id,
			role: 'member' as const,
			now: world.now,
		}
		await world.perform(async ({ db, work }) => {
			await eventStore(db).attend(work, viewer, Number(at.params.eventId))
			await reactionStore(db).put(viewer, 'Post', Number(on.params.postId), 'like')
			await moderationStore(db).flag(work, viewer, 'Post', Number(on.params.postId), 'r')
			await notificationStore(db).mute(viewer, { event_place: false })
		})
		for (const table of ['event_rsvps', 'post_reactions', 'flags', 'notification_mutes'])
			expect(
				await select(world, `select 1 from ${table} where membership_id = ${ada.memberId}`),
				table,
			).toEqual([])
	})

	test('deletes many rows of a removed member in several steps', { tags: 'd1' }, async () => {
		const spaceId = await fixture.space()
		await select(
			world,
			`insert into posts (community_id, space_id, body, created_at, updated_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 4500) select ${fixture.id}, ${spaceId}, 'b', i, i from n returning 1`,
		)
		await select(
			world,
			`insert into post_reactions (membership_id, post_id, emoji, created_at) select ${ada.memberId}, p.id, 'like', 1 from posts p returning 1`,
		)
		await select(
			world,
			`insert into post_followers (user_id, post_id, created_at) select ${ada.userId}, p.id, 1 from posts p returning 1`,
		)
		await world.ask(removeCommunityMember, of(ada), fixture.owner)
		await world.deliver()
		for (const table of ['post_reactions', 'post_followers'])
			expect(await select(world, `select 1 from ${table} limit 1`), table).toEqual([])
	})

	test('returns 404 for members of another organization', { tags: 'd1' }, async () => {
		expect((await world.ask(removeCommunityMember, of(ada), bo)).status).toBe(404)
		expect((await world.ask(getCurrentMember, {}, ada)).status).toBe(200)
	})
})

describe('ownership transfer', { tags: 'd1' }, () => {
	test.each(['deactivated', 'removed'])(
		'transfers ownership to an admin, else to the oldest member, when the last owner is %s',
		async (how) => {
			await select(world, `update memberships set role = 'moderator' where id = ${cy.memberId} returning 1`)
			const end = (who: Member) =>
				how === 'removed'
					? world.ask(removeCommunityMember, of(who), fixture.owner)
					: change(who, { status: 'inactive' })
			await end(fixture.owner)
			await settle()
			expect(await roles()).toEqual(['member', 'member', 'owner'])
			await end(cy)
			await settle()
			expect(await roles()).toEqual(['owner', 'member'])
			await end(bo)
			await settle()
			expect(await roles()).toEqual(['owner'])
		},
	)

	test('the removal of an owner transfers nothing while another owner exists', async () => {
		await select(world, `update memberships set role = 'owner' where id = ${bo.memberId} returning 1`)
		await change(fixture.owner, { status: 'inactive' })
		await settle()
		expect(await roles()).toEqual(['member', 'owner', 'member'])
	})
})

describe('the last owner', () => {
	const demote = (who: Member, body: object = { role: 'member' }) =>
		world.ask(updateCommunityMember, { ...of(who), body }, fixture.owner)

	test('rejects a lower role for the last owner, alone or with other changes', async () => {
		for (const body of [
			{ role: 'member' },
			{ role: 'moderator' },
			{ role: 'admin', bio: 'x' },
			{ role: 'member', status: 'inactive' },
			{ role: 'member', status: 'banned' },
		]) {
			const refused = await demote(fixture.owner, body)
			expect([refused.status, refused.error], JSON.stringify(body)).toEqual([
				409,
				expect.stringContaining('owner'),
			])
		}
		expect(await roles()).toEqual(['owner', 'member', 'member', 'member'])
		expect((await world.ask(getCurrentMember, {}, fixture.owner)).status).toBe(200)
		expect((await demote(fixture.owner, { role: 'owner' })).status).toBe(200)
	})

	test('demotes an owner while another active owner exists', async () => {
		const second = await fixture.member({ role: 'owner', status: 'inactive' })
		expect((await demote(fixture.owner)).status).toBe(409)
		expect((await demote(second)).status).toBe(200)
		await demote(second, { role: 'owner', status: 'active' })
		expect((await demote(fixture.owner)).ok.data.role).toBe('member')
		expect((await demote(second)).status).toBe(409)
	})

	test('keeps one owner when two owners demote each other concurrently', async () => {
		for (let round = 0; round < 5; round++) {
			await select(
				world,
				`update memberships set role = 'owner' where id in (${fixture.owner.memberId}, ${ada.memberId}) returning 1`,
			)
			const answers = await Promise.all([demote(fixture.owner), demote(ada)])
			expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
			expect((await roles()).filter((role) => role === 'owner')).toHaveLength(1)
		}
	})

	test('transfers ownership in the request that removes the last owner', { tags: 'd1' }, async () => {
		await world.ask(removeCommunityMember, of(fixture.owner), fixture.owner)
		expect(await roles()).toEqual(['owner', 'member', 'member'])
	})
})
