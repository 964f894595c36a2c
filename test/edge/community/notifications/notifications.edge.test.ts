import { beforeEach, describe, expect, test } from 'vitest'
import { deleteCommunity } from '#schema/contract/community/manage/communities.ts'
import {
	attendEvent,
	deleteEvent,
	leaveEvent,
	updateEvent,
} from '#schema/contract/community/member/events.ts'
import { followPost } from '#schema/contract/community/member/followers.ts'
import { deactivateMember } from '#schema/contract/community/member/members.ts'
import {
	countNotifications,
	getNotificationPreferences,
	listNotifications,
	markAllNotificationsRead,
	markNotificationRead,
	type NotificationKind,
	updateNotificationPreferences,
} from '#schema/contract/community/member/notifications.ts'
import {
	createPostComment,
	createReply,
	deletePostComment,
} from '#schema/contract/community/member/post-comments.ts'
import { react } from '#schema/contract/community/member/post-reactions.ts'
import { deletePost } from '#schema/contract/community/member/posts.ts'
import { DAY } from '../../../../edge/platform/clock.ts'
import type { Asked } from '../../../support/edge/asked.ts'
import { openWorld, type World } from '../../../support/edge/world.ts'
import { type Community, openCommunity, select } from '../community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let fixture: Community
let ada: Member
let bo: Member
let spaceId: number
let postId: number
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	ada = await fixture.member()
	bo = await fixture.member()
	spaceId = await fixture.space()
	postId = await fixture.post(spaceId, { author_id: ada.userId })
	world.messages.length = 0
})

const on = (id: number) => ({ params: { postId: String(id) } })
const at = (id: number) => ({ params: { eventId: String(id) } })
const notificationsOf = async (who: Member, query: { status?: 'read' | 'unread'; limit?: string } = {}) =>
	(await world.ask(listNotifications, { query }, who)).ok.records
const kindsOf = async (who: Member) => (await notificationsOf(who)).map(({ kind }) => kind)
const comment = async (who: Member, body = 'Nice') =>
	(await world.ask(createPostComment, { ...on(postId), body: { body } }, who)).ok.id
const reply = async (who: Member, commentId: number) =>
	(await world.ask(createReply, { params: { commentId: String(commentId) }, body: { body: 'So' } }, who)).ok
		.id
const like = (who: Member, type: 'Post' | 'Comment', id: number, reaction = 'like') =>
	world.ask(react, { body: { reactable_type: type, reactable_id: id, reaction } }, who)
const read = (who: Member, id: number) =>
	world.ask(markNotificationRead, { params: { notificationId: String(id) } }, who)
const cancelledIds = async () =>
	(await select<{ id: number }>(world, 'select id from cancelled_events order by id')).map(({ id }) => id)
/** Creates an upcoming event and deletes it as the owner. */
async function cancelEvent(): Promise<number> {
	const eventId = await fixture.event(spaceId, { ends_at: world.now + 1_000_000 })
	expect((await world.ask(deleteEvent, at(eventId), fixture.owner)).status).toBe(200)
	return eventId
}
const count = async (who: Member) => (await world.ask(countNotifications, {}, who)).ok

describe('notification triggers', () => {
	test('notifies the post author, the parent author and the followers of a comment, once each', async () => {
		const cleo = await fixture.member()
		for (const who of [ada, bo, cleo]) await world.ask(followPost, on(postId), who)
		const first = await comment(bo, '👋'.repeat(200))
		const answer = await reply(cleo, first)
		await world.deliver()
		const [second, one] = await notificationsOf(ada)
		expect(one).toEqual({
			id: expect.any(Number),
			kind: 'post_comment',
			created_at: expect.any(String),
			read_at: null,
			actor: {
				id: bo.userId,
				community_member_id: bo.memberId,
				name: expect.any(String),
				avatar_url: null,
				role: 'member',
				headline: null,
			},
			display_action: 'commented on your post',
			text: expect.stringMatching(/ commented on your post$/),
			notifiable_type: 'Comment',
			notifiable_id: first,
			notifiable_title: null,
			path: `/posts/${postId}#comment-${first}`,
			space: { id: spaceId, name: 'Space', slug: expect.any(String) },
			post_id: postId,
			comment_id: first,
			event_id: null,
			excerpt: '👋'.repeat(100),
			reason: null,
			url: `/posts/${postId}`,
		})
		expect(second).toMatchObject({ kind: 'post_comment', comment_id: answer })
		expect(await kindsOf(bo)).toEqual(['comment_reply'])
		expect(await kindsOf(cleo)).toEqual(['followed_post_comment'])
	})

	test('members get no notifications of their own actions', async () => {
		const id = await comment(ada)
		await reply(ada, id)
		await like(ada, 'Post', postId)
		await like(ada, 'Comment', id)
		await world.deliver()
		expect(await notificationsOf(ada)).toEqual([])
	})

	test('merges reactions to a post into one notification until it is read', { tags: 'd1' }, async () => {
		const commentId = await comment(ada)
		await like(bo, 'Post', postId)
		await like(bo, 'Post', postId, '🎉')
		await like(fixture.owner, 'Post', postId)
		await like(bo, 'Comment', commentId)
		await world.deliver()
		const [, postReaction] = await notificationsOf(ada)
		expect(await kindsOf(ada)).toEqual(['comment_reaction', 'post_reaction'])
		expect(postReaction).toMatchObject({ actor: { id: fixture.owner.userId }, post_id: postId })
		expect((await read(ada, postReaction?.id as number)).status).toBe(200)
		const cleo = await fixture.member()
		await like(cleo, 'Post', postId)
		await world.deliver()
		expect(await kindsOf(ada)).toEqual(['post_reaction', 'comment_reaction', 'post_reaction'])
	})

	test('notifies attendees of a new time or location, and of no other change', async () => {
		const eventId = await fixture.event(spaceId)
		await world.ask(attendEvent, at(eventId), ada)
		const change = (body: object) =>
			world.ask(updateEvent, { ...at(eventId), body: body as { title: string } }, fixture.owner)
		await change({ title: 'Another', in_person_location: null })
		await world.deliver()
		expect(await notificationsOf(ada)).toEqual([])
		await change({ in_person_location: 'The park' })
		await world.deliver()
		expect(await notificationsOf(ada)).toMatchObject([
			{
				kind: 'event_changed',
				event_id: eventId,
				excerpt: 'Another',
				url: `/events/${eventId}`,
				actor: null,
			},
		])
		expect(await notificationsOf(bo)).toEqual([])
	})

	test('notifies everyone else who attends or waits when an upcoming event is deleted', async () => {
		const full = { capacity: 1, waitlist_enabled: 1, title: 'Picnic' }
		const eventId = await fixture.event(spaceId, { ...full, ends_at: world.now + 1_000_000 })
		const past = await fixture.event(spaceId)
		const moderator = await fixture.member({ role: 'moderator' })
		const [muted, formerMember, cleo] = [
			await fixture.member(),
			await fixture.member(),
			await fixture.member(),
		]
		await world.ask(updateNotificationPreferences, { body: { event_cancelled: false } }, muted)
		for (const who of [ada, bo, moderator, muted, formerMember])
			await world.ask(attendEvent, at(eventId), who)
		await world.ask(attendEvent, at(past), ada)
		await fixture.endEvent(past)
		await world.ask(deactivateMember, {}, formerMember)
		await world.deliver()
		for (const id of [eventId, past])
			expect((await world.ask(deleteEvent, at(id), moderator)).status).toBe(200)
		expect((await world.ask(deleteEvent, at(eventId), moderator)).status).toBe(404)
		expect(await notificationsOf(ada)).toMatchObject([
			{
				kind: 'event_cancelled',
				event_id: eventId,
				excerpt: 'Picnic',
				url: `/events/${eventId}`,
				space: { id: spaceId },
				actor: null,
				read_at: null,
			},
		])
		await world.deliver()
		for (const who of [ada, bo]) expect(await kindsOf(who)).toEqual(['event_cancelled'])
		for (const who of [moderator, muted, cleo]) expect(await kindsOf(who)).toEqual([])
		expect(await select(world, "select id from notifications where kind = 'event_cancelled'")).toHaveLength(2)
		expect(await select(world, 'select id from event_rsvps')).toEqual([])
		const [first] = await notificationsOf(ada)
		expect((await read(ada, first?.id ?? 0)).status).toBe(200)
		expect(await count(ada)).toEqual({ unread: 0, has_more: false })
		await select(world, `update spaces set visibility = 'secret' where id = ${spaceId} returning id`)
		expect(await notificationsOf(ada)).toEqual([])
	})

	test('keeps the title of a cancelled event for as long as notifications', async () => {
		const first = await cancelEvent()
		world.pass(DAY / 2)
		const second = await cancelEvent()
		expect(await cancelledIds()).toEqual([first, second])
		world.pass(90 * DAY - DAY / 4)
		await world.cron('17 3 * * *')
		expect(await cancelledIds()).toEqual([second])
	})

	test('deletes the title of a cancelled event with its community', async () => {
		const eventId = await cancelEvent()
		expect(await cancelledIds()).toEqual([eventId])
		const of = { params: { communityId: String(fixture.id) } }
		expect((await world.ask(deleteCommunity, of, fixture.owner)).status).toBe(200)
		await world.deliver()
		expect(await cancelledIds()).toEqual([])
	})

	test('notifies members who are promoted because another left or the capacity grew', async () => {
		const eventId = await fixture.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		const [cleo, dan] = [await fixture.member(), await fixture.member()]
		for (const who of [ada, bo, cleo, dan]) await world.ask(attendEvent, at(eventId), who)
		await world.ask(leaveEvent, at(eventId), ada)
		await world.deliver()
		expect([await kindsOf(bo), await kindsOf(cleo)]).toEqual([['event_place'], []])
		await world.ask(updateEvent, { ...at(eventId), body: { capacity: 2 } }, fixture.owner)
		await world.deliver()
		expect([await kindsOf(bo), await kindsOf(cleo), await kindsOf(dan)]).toEqual([
			['event_place'],
			['event_place'],
			[],
		])
	})

	test('notifies once despite repeated and lost messages', async () => {
		await comment(bo)
		const messages = world.messages.splice(0)
		world.pass(20_000)
		await world.cron('* * * * *')
		expect(world.messages.filter(({ type }) => type === 'community.notify')).toEqual(messages)
		await world.deliver([...messages, ...messages])
		await world.deliver()
		world.pass(DAY)
		await world.cron('* * * * *')
		expect(world.messages.filter(({ type }) => type === 'community.notify')).toEqual([])
		expect(await notificationsOf(ada)).toHaveLength(1)
		expect(
			await select(world, "select type, payload from outbox where type = 'post_comment.created'"),
		).toMatchObject([
			{ type: 'post_comment.created', payload: expect.stringContaining(`"postId":${postId}`) },
		])
	})

	test('no notification is sent for content that was deleted first', async () => {
		const id = await comment(bo)
		await world.ask(deletePostComment, { params: { commentId: String(id) } }, bo)
		await world.deliver()
		expect(await notificationsOf(ada)).toEqual([])
	})
})

describe('notification statements', () => {
	test('notifies many members with few statements that all use an index', async () => {
		const eventId = await fixture.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		for (const who of [ada, bo]) {
			await world.ask(followPost, on(postId), who)
			await world.ask(attendEvent, at(eventId), who)
		}
		await reply(bo, await comment(bo))
		await like(bo, 'Post', postId)
		await world.ask(updateEvent, { ...at(eventId), body: { in_person_location: 'Park' } }, fixture.owner)
		await world.ask(leaveEvent, at(eventId), ada)
		const messages = world.messages.splice(0)
		expect(messages).toHaveLength(5)
		const costs: number[] = []
		for (const message of messages) {
			world.statements.length = 0
			await world.deliver([message])
			const sent = [...world.statements]
			costs.push(sent.length)
			for (const sql of sent) {
				const plan = await world.plan(sql)
				const scans = plan.filter((line) => /^SCAN (?!CONSTANT ROW|t\b|x\b|r\b|json_each|\(|\d)/.test(line))
				expect(scans, `${sql}\n${plan.join('\n')}`).toEqual([])
			}
		}
		// The first two also make the writer follow the post. Comments and promotions record a public event, whose endpoints are looked up.
		expect(costs).toEqual([6, 6, 2, 2, 4])
	})
})

describe('invisible notifications', () => {
	test('invisible subjects are excluded from notifying, listing, counting and marking', async () => {
		await world.ask(followPost, on(postId), bo)
		await comment(fixture.owner)
		await world.deliver()
		const [seen] = await notificationsOf(bo)
		expect(await count(bo)).toEqual({ unread: 1, has_more: false })
		await select(world, `update spaces set visibility = 'private' where id = ${spaceId} returning 1`)
		expect(await notificationsOf(bo)).toEqual([])
		expect(await count(bo)).toEqual({ unread: 0, has_more: false })
		expect((await read(bo, seen?.id as number)).status).toBe(404)
		await comment(fixture.owner)
		await world.deliver()
		await fixture.grant([bo.memberId], [spaceId], { expiresAt: world.now + DAY })
		expect(await notificationsOf(bo)).toEqual([seen])
		world.pass(DAY)
		expect(await notificationsOf(bo)).toEqual([])
	})

	test('hides notifications of deleted comments and posts', async () => {
		const id = await comment(bo)
		await like(bo, 'Post', postId)
		await world.deliver()
		await world.ask(deletePostComment, { params: { commentId: String(id) } }, bo)
		expect(await kindsOf(ada)).toEqual(['post_reaction'])
		await world.ask(deletePost, on(postId), ada)
		expect(await count(ada)).toEqual({ unread: 0, has_more: false })
	})

	test('rejects access to notifications of other members', async () => {
		await comment(bo)
		await world.deliver()
		const [mine] = await notificationsOf(ada)
		expect((await read(bo, mine?.id as number)).status).toBe(404)
		expect(await count(ada)).toEqual({ unread: 1, has_more: false })
	})
})

describe('notifications', () => {
	test('pages through notifications of the same instant without gaps or duplicates', async () => {
		for (let i = 0; i < 7; i++) await comment(bo, `c${i}`)
		await world.deliver()
		const seen: string[] = []
		let cursor: string | null = null
		do {
			const query: { limit: string; cursor?: string } = { limit: '3', ...(cursor && { cursor }) }
			const page: Asked<typeof listNotifications> = await world.ask(listNotifications, { query }, ada)
			seen.push(...page.ok.records.map(({ excerpt }) => excerpt))
			cursor = page.headers.get('x-next-cursor')
		} while (cursor)
		expect(seen).toEqual(['c6', 'c5', 'c4', 'c3', 'c2', 'c1', 'c0'])
		expect((await world.ask(listNotifications, { query: { cursor: 'nonsense' } }, ada)).status).toBe(400)
	})

	test('marks notifications read, one or all, and keeps the time of the first reading', async () => {
		await comment(bo)
		await comment(bo)
		await world.deliver()
		const [newest] = await notificationsOf(ada)
		await read(ada, newest?.id as number)
		const [first] = await notificationsOf(ada, { status: 'read' })
		expect(first?.read_at).toEqual(expect.any(String))
		await read(ada, newest?.id as number)
		expect(await notificationsOf(ada, { status: 'read' })).toEqual([first])
		expect(await count(ada)).toEqual({ unread: 1, has_more: false })
		await world.ask(markAllNotificationsRead, {}, ada)
		expect(await count(ada)).toEqual({ unread: 0, has_more: false })
		expect(await notificationsOf(ada, { status: 'unread' })).toEqual([])
		expect((await notificationsOf(ada, { status: 'read' })).at(0)).toEqual(first)
	})

	test('creates no notifications of muted kinds', async () => {
		const all = (await world.ask(getNotificationPreferences, {}, ada)).ok
		expect(Object.values(all)).toEqual(Array(13).fill(true))
		const set = async (body: { [K in NotificationKind]?: boolean }) =>
			(await world.ask(updateNotificationPreferences, { body }, ada)).ok
		expect(await set({ post_comment: false, post_reaction: false })).toEqual({
			...all,
			post_comment: false,
			post_reaction: false,
		})
		await comment(bo)
		await world.deliver()
		expect(await notificationsOf(ada)).toEqual([])
		expect(await set({ post_comment: true })).toEqual({ ...all, post_reaction: false })
		await comment(bo)
		await world.deliver()
		expect(await kindsOf(ada)).toEqual(['post_comment'])
		expect((await world.ask(updateNotificationPreferences, { body: {} }, ada)).status).toBe(400)
	})

	test('deletes notifications after 90 days', async () => {
		await comment(bo)
		await world.deliver()
		world.pass(89 * DAY)
		await world.cron('17 3 * * *')
		const rows = () => select(world, 'select id from notifications')
		expect(await rows()).toHaveLength(1)
		world.pass(2 * DAY)
		await world.cron('17 3 * * *')
		expect(await rows()).toEqual([])
	})
})
