import { beforeEach, describe, expect, test } from 'vitest'
import { attendEvent, leaveEvent, updateEvent } from '#schema/contract/community/events.ts'
import { followPost } from '#schema/contract/community/followers.ts'
import {
	countNotifications,
	getNotificationPreferences,
	listNotifications,
	markAllNotificationsRead,
	markNotificationRead,
	type NotificationKind,
	updateNotificationPreferences,
} from '#schema/contract/community/notifications.ts'
import {
	createPostComment,
	createReply,
	deletePostComment,
} from '#schema/contract/community/post-comments.ts'
import { react } from '#schema/contract/community/post-reactions.ts'
import { deletePost } from '#schema/contract/community/posts.ts'
import { DAY } from '../../../edge/platform/clock.ts'
import { type Asked, openWorld, type World } from '../world.ts'
import { type Community, openCommunity, select } from './community.ts'

type Member = Awaited<ReturnType<Community['member']>>
let world: World
let club: Community
let ada: Member
let bo: Member
let spaceId: number
let postId: number
beforeEach(async () => {
	world = await openWorld()
	club = await openCommunity(world)
	ada = await club.member()
	bo = await club.member()
	spaceId = await club.space()
	postId = await club.post(spaceId, { author_id: ada.userId })
	world.messages.length = 0
})

const on = (id: number) => ({ params: { postId: String(id) } })
const at = (id: number) => ({ params: { eventId: String(id) } })
const toldOf = async (who: Member, query: { status?: 'read' | 'unread'; limit?: string } = {}) =>
	(await world.ask(listNotifications, { query }, who)).ok.records
const kindsOf = async (who: Member) => (await toldOf(who)).map(({ kind }) => kind)
const comment = async (who: Member, body = 'Nice') =>
	(await world.ask(createPostComment, { ...on(postId), body: { body } }, who)).ok.id
const reply = async (who: Member, commentId: number) =>
	(await world.ask(createReply, { params: { commentId: String(commentId) }, body: { body: 'So' } }, who)).ok
		.id
const like = (who: Member, type: 'Post' | 'Comment', id: number, reaction = 'like') =>
	world.ask(react, { body: { reactable_type: type, reactable_id: id, reaction } }, who)
const read = (who: Member, id: number) =>
	world.ask(markNotificationRead, { params: { notificationId: String(id) } }, who)
const count = async (who: Member) => (await world.ask(countNotifications, {}, who)).ok

describe('members are told', () => {
	test('of comments on their posts, of replies to their comments and of comments on posts they follow, once each', async () => {
		const cleo = await club.member()
		for (const who of [ada, bo, cleo]) await world.ask(followPost, on(postId), who)
		const first = await comment(bo, '👋'.repeat(200))
		const answer = await reply(cleo, first)
		await world.deliver()
		const [second, one] = await toldOf(ada)
		expect(one).toEqual({
			id: expect.any(Number),
			kind: 'post_comment',
			created_at: expect.any(String),
			read_at: null,
			actor: { id: bo.userId, name: expect.any(String), avatar_url: null },
			space: { id: spaceId, name: 'Space', slug: expect.any(String) },
			post_id: postId,
			comment_id: first,
			event_id: null,
			excerpt: '👋'.repeat(100),
			url: `/posts/${postId}`,
		})
		expect(second).toMatchObject({ kind: 'post_comment', comment_id: answer })
		expect(await kindsOf(bo)).toEqual(['comment_reply'])
		expect(await kindsOf(cleo)).toEqual(['followed_post_comment'])
	})

	test('of nothing that they did themselves', async () => {
		const id = await comment(ada)
		await reply(ada, id)
		await like(ada, 'Post', postId)
		await like(ada, 'Comment', id)
		await world.deliver()
		expect(await toldOf(ada)).toEqual([])
	})

	test('of reactions to a post in one notification, until they have read it', async () => {
		const commentId = await comment(ada)
		await like(bo, 'Post', postId)
		await like(bo, 'Post', postId, 'heart')
		await like(club.owner, 'Post', postId)
		await like(bo, 'Comment', commentId)
		await world.deliver()
		const [, told] = await toldOf(ada)
		expect(await kindsOf(ada)).toEqual(['comment_reaction', 'post_reaction'])
		expect(told).toMatchObject({ actor: { id: club.owner.userId }, post_id: postId })
		expect((await read(ada, told?.id as number)).status).toBe(200)
		const cleo = await club.member()
		await like(cleo, 'Post', postId)
		await world.deliver()
		expect(await kindsOf(ada)).toEqual(['post_reaction', 'comment_reaction', 'post_reaction'])
	})

	test('of another time or place of an event that they attend, and of nothing else about it', async () => {
		const eventId = await club.event(spaceId)
		await world.ask(attendEvent, at(eventId), ada)
		const change = (body: object) =>
			world.ask(updateEvent, { ...at(eventId), body: body as { title: string } }, club.owner)
		await change({ title: 'Another', in_person_location: null })
		await world.deliver()
		expect(await toldOf(ada)).toEqual([])
		await change({ in_person_location: 'The park' })
		await world.deliver()
		expect(await toldOf(ada)).toMatchObject([
			{
				kind: 'event_changed',
				event_id: eventId,
				excerpt: 'Another',
				url: `/events/${eventId}`,
				actor: null,
			},
		])
		expect(await toldOf(bo)).toEqual([])
	})

	test('of the place that they waited for, whether someone left or there is more room', async () => {
		const eventId = await club.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		const [cleo, dan] = [await club.member(), await club.member()]
		for (const who of [ada, bo, cleo, dan]) await world.ask(attendEvent, at(eventId), who)
		await world.ask(leaveEvent, at(eventId), ada)
		await world.deliver()
		expect([await kindsOf(bo), await kindsOf(cleo)]).toEqual([['event_place'], []])
		await world.ask(updateEvent, { ...at(eventId), body: { capacity: 2 } }, club.owner)
		await world.deliver()
		expect([await kindsOf(bo), await kindsOf(cleo), await kindsOf(dan)]).toEqual([
			['event_place'],
			['event_place'],
			[],
		])
	})

	test('once, however often the message comes, and also when it was lost', async () => {
		await comment(bo)
		const messages = world.messages.splice(0)
		world.pass(20_000)
		await world.cron('* * * * *')
		expect(world.messages.filter(({ type }) => type === 'community.tell')).toEqual(messages)
		await world.deliver([...messages, ...messages])
		await world.deliver()
		world.pass(DAY)
		await world.cron('* * * * *')
		expect(world.messages.filter(({ type }) => type === 'community.tell')).toEqual([])
		expect(await toldOf(ada)).toHaveLength(1)
		expect(
			await select(world, "select type, payload from outbox where type = 'community.comment_created'"),
		).toMatchObject([
			{ type: 'community.comment_created', payload: expect.stringContaining(`"postId":${postId}`) },
		])
	})

	test('of nothing that was taken back before', async () => {
		const id = await comment(bo)
		await world.ask(deletePostComment, { params: { commentId: String(id) } }, bo)
		await world.deliver()
		expect(await toldOf(ada)).toEqual([])
	})
})

describe('telling', () => {
	test('takes few statements for however many, and each goes along an index', async () => {
		const eventId = await club.event(spaceId, { capacity: 1, waitlist_enabled: 1 })
		for (const who of [ada, bo]) {
			await world.ask(followPost, on(postId), who)
			await world.ask(attendEvent, at(eventId), who)
		}
		await reply(bo, await comment(bo))
		await like(bo, 'Post', postId)
		await world.ask(updateEvent, { ...at(eventId), body: { in_person_location: 'Park' } }, club.owner)
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
				const walks = plan.filter((line) => /^SCAN (?!CONSTANT ROW|t\b|x\b|r\b|json_each|\(|\d)/.test(line))
				expect(walks, `${sql}\n${plan.join('\n')}`).toEqual([])
			}
		}
		expect(costs).toEqual([4, 4, 2, 2, 2])
	})
})

describe('what is not visible', () => {
	test('is not told, and is neither listed nor counted nor marked once it is hidden', async () => {
		await world.ask(followPost, on(postId), bo)
		await comment(club.owner)
		await world.deliver()
		const [seen] = await toldOf(bo)
		expect(await count(bo)).toEqual({ total: 1, unread: 1 })
		await select(world, `update spaces set visibility = 'private' where id = ${spaceId} returning 1`)
		expect(await toldOf(bo)).toEqual([])
		expect(await count(bo)).toEqual({ total: 0, unread: 0 })
		expect((await read(bo, seen?.id as number)).status).toBe(404)
		await comment(club.owner)
		await world.deliver()
		await club.grant([bo.memberId], [spaceId], { expiresAt: world.now + DAY })
		expect(await toldOf(bo)).toEqual([seen])
		world.pass(DAY)
		expect(await toldOf(bo)).toEqual([])
	})

	test('are things that are gone: a comment, a post', async () => {
		const id = await comment(bo)
		await like(bo, 'Post', postId)
		await world.deliver()
		await world.ask(deletePostComment, { params: { commentId: String(id) } }, bo)
		expect(await kindsOf(ada)).toEqual(['post_reaction'])
		await world.ask(deletePost, on(postId), ada)
		expect(await count(ada)).toEqual({ total: 0, unread: 0 })
	})

	test('are those of someone else', async () => {
		await comment(bo)
		await world.deliver()
		const [mine] = await toldOf(ada)
		expect((await read(bo, mine?.id as number)).status).toBe(404)
		expect(await count(ada)).toEqual({ total: 1, unread: 1 })
	})
})

describe('notifications', () => {
	test('are listed page by page without gap or double, also when many came at the same instant', async () => {
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

	test('are read one by one or all at once, and keep when they were read first', async () => {
		await comment(bo)
		await comment(bo)
		await world.deliver()
		const [newest] = await toldOf(ada)
		await read(ada, newest?.id as number)
		const [first] = await toldOf(ada, { status: 'read' })
		expect(first?.read_at).toEqual(expect.any(String))
		await read(ada, newest?.id as number)
		expect(await toldOf(ada, { status: 'read' })).toEqual([first])
		expect(await count(ada)).toEqual({ total: 2, unread: 1 })
		await world.ask(markAllNotificationsRead, {}, ada)
		expect(await count(ada)).toEqual({ total: 2, unread: 0 })
		expect(await toldOf(ada, { status: 'unread' })).toEqual([])
		expect((await toldOf(ada, { status: 'read' })).at(0)).toEqual(first)
	})

	test('of kinds that a member does not want are not made', async () => {
		const all = (await world.ask(getNotificationPreferences, {}, ada)).ok
		expect(Object.values(all)).toEqual(Array(7).fill(true))
		const set = async (body: { [K in NotificationKind]?: boolean }) =>
			(await world.ask(updateNotificationPreferences, { body }, ada)).ok
		expect(await set({ post_comment: false, post_reaction: false })).toEqual({
			...all,
			post_comment: false,
			post_reaction: false,
		})
		await comment(bo)
		await world.deliver()
		expect(await toldOf(ada)).toEqual([])
		expect(await set({ post_comment: true })).toEqual({ ...all, post_reaction: false })
		await comment(bo)
		await world.deliver()
		expect(await kindsOf(ada)).toEqual(['post_comment'])
		expect((await world.ask(updateNotificationPreferences, { body: {} }, ada)).status).toBe(400)
	})

	test('are forgotten after 90 days', async () => {
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
