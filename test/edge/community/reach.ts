import { expect } from 'vitest'
import * as bookmarks from '#schema/contract/community/member/bookmarks.ts'
import {
	getEventCalendar,
	readCalendarFeed,
	resetCalendarFeed,
} from '#schema/contract/community/member/calendar.ts'
import * as events from '#schema/contract/community/member/events.ts'
import { followPost, listPostFollowers } from '#schema/contract/community/member/followers.ts'
import { getImage } from '#schema/contract/community/member/images.ts'
import * as members from '#schema/contract/community/member/members.ts'
import { listFlags, listHidden } from '#schema/contract/community/member/moderation.ts'
import * as notifications from '#schema/contract/community/member/notifications.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import * as reactions from '#schema/contract/community/member/post-reactions.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import * as spaces from '#schema/contract/community/member/spaces.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import type { World } from '../../support/edge/world.ts'
import { buildOracle, type Oracle } from './oracle.ts'
import { type Membership, readTables } from './tables.ts'

type Who = { token: string; headers: Record<string, string> }
type Input = { params?: Record<string, number>; query?: Record<string, string>; body?: unknown }

/** Small, so that lists span several pages and ties cross page boundaries. */
const PER_PAGE = 3

/**
 * Requests everything of every community as one member, and compares each response with the oracle, record by record and
 * in order. Returns the number of requests.
 */
export async function compareReach(world: World, oracle: Oracle, who: Who, me: Membership): Promise<number> {
	let requests = 0
	const ask = async (op: Operation, { params = {}, ...rest }: Input) => {
		requests++
		const texts = Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]))
		return world.ask(op, { params: texts, ...rest } as never, who)
	}
	const label = (op: Operation, input: Input) =>
		`${op.id} ${JSON.stringify(input)} as ${me.role} ${me.id} of ${me.community_id}`

	/** Expects the body that the oracle computes, or 404 if the target is invisible. */
	async function expectBody(
		op: Operation,
		input: Input,
		isSeen: boolean,
		body: () => unknown,
	): Promise<void> {
		const answer = await ask(op, input)
		const response = answer.status === 200 ? JSON.parse(answer.text) : answer.status
		expect(response, label(op, input)).toEqual(isSeen ? body() : 404)
	}
	const expectFixed = (op: Operation, input: Input, isSeen: boolean, records: () => unknown[]) =>
		expectBody(op, input, isSeen, () => {
			const all = records()
			return { page: 1, per_page: 20, has_next_page: false, count: all.length, page_count: 1, records: all }
		})
	/** Expects the pages to form the whole list, without duplicates or gaps. */
	async function expectPages(
		op: Operation,
		input: Input,
		isSeen: boolean,
		records: () => unknown[],
		hasCount: boolean,
	): Promise<void> {
		const all = isSeen ? records() : []
		for (let page = 1; page === 1 || (page - 1) * PER_PAGE < all.length; page++) {
			const query = { ...input.query, page: String(page), per_page: String(PER_PAGE) }
			await expectBody(op, { ...input, query }, isSeen, () => ({
				page,
				per_page: PER_PAGE,
				has_next_page: page * PER_PAGE < all.length,
				...(hasCount && { count: all.length, page_count: Math.max(1, Math.ceil(all.length / PER_PAGE)) }),
				records: all.slice((page - 1) * PER_PAGE, page * PER_PAGE),
			}))
		}
	}
	/** Expects 404 if the target is invisible. Skips visible targets, because the request would change data. */
	async function expectNotFound(op: Operation, input: Input, isSeen: boolean): Promise<void> {
		if (!isSeen) expect((await ask(op, input)).status, label(op, input)).toBe(404)
	}

	const { tables } = oracle
	if (me.status !== 'active') {
		for (const op of [
			spaces.listSpaces,
			posts.listHomePosts,
			bookmarks.listBookmarks,
			events.listCommunityEvents,
		])
			expect((await ask(op, {})).status, label(op, {})).toBe(403)
		return requests
	}

	await expectFixed(spaces.listSpaces, {}, true, () => oracle.memberSpaces(me))
	await expectPages(posts.listHomePosts, {}, true, () => oracle.feed(me), false)
	await expectPages(bookmarks.listBookmarks, {}, true, () => oracle.bookmarks(me), true)
	await expectPages(events.listCommunityEvents, {}, true, () => oracle.calendar(me), true)
	await expectPages(members.listMemberCards, {}, true, () => oracle.members(me), false)
	await expectNotifications()
	await expectCalendarFeed()
	for (const search_text of ['alp', 'beta gam', 'mma', 'c', '👩‍🚀']) {
		const query = { search_text }
		await expectPages(posts.searchPosts, { query }, true, () => oracle.searchPosts(me, search_text), false)
		await expectPages(
			members.searchMembers,
			{ query },
			true,
			() => oracle.searchMembers(me, search_text),
			false,
		)
	}
	const moderates = me.role !== 'member'
	for (const [op, query, records] of [
		[listFlags, { status: 'open' }, () => oracle.flags(me, 'open')],
		[listFlags, { status: 'all' }, () => oracle.flags(me, 'all')],
		[listHidden, {}, () => oracle.hidden(me)],
	] as const)
		if (moderates) await expectPages(op, { query }, true, records, false)
		else expect((await ask(op, { query })).status).toBe(403)

	for (const space of tables.spaces) {
		const params = { spaceId: space.id }
		const isSeen = oracle.sees(me, space)
		await expectBody(spaces.getSpace, { params }, isSeen, () => oracle.viewSpace(me, space))
		await expectFixed(spaces.listTopics, { params }, isSeen, () => oracle.spaceTopics(space))
		await expectFixed(bookmarks.listSpaceBookmarks, { params }, isSeen, () =>
			oracle.spaceBookmarks(me, space),
		)
		await expectPages(posts.listSpacePosts, { params }, isSeen, () => oracle.feed(me, space), false)
		await expectNotFound(posts.createPost, { params, body: { body: 'x' } }, isSeen)
		await expectNotFound(spaces.joinSpace, { params }, isSeen)
	}
	for (const post of tables.posts) {
		const params = { postId: post.id }
		const isSeen = oracle.seesPost(me, post)

		const isRead = oracle.readsPost(me, post)
		await expectBody(posts.getPost, { params }, isRead, () => oracle.viewPost(me, post))
		await expectPages(comments.listPostComments, { params }, isRead, () => oracle.commentsOn(me, post), false)
		await expectFixed(listPostFollowers, { params }, isSeen, () => oracle.postFollowers(me, post))
		const reacted = () => oracle.reactionsTo('post_id', post.id)
		await expectPages(reactions.listPostReactions, { params }, isSeen, reacted, false)
		await expectNotFound(comments.createPostComment, { params, body: { body: 'x' } }, isSeen)
		await expectNotFound(bookmarks.createBookmark, { body: { bookmarkable_id: post.id } }, isSeen)
		await expectNotFound(followPost, { params }, isSeen)
		await expectNotFound(posts.deletePost, { params }, isSeen)
		const target = { reactable_type: 'Post', reactable_id: post.id }
		await expectNotFound(reactions.react, { body: target }, isSeen)
	}
	for (const comment of tables.post_comments) {
		const params = { commentId: comment.id }
		const isSeen = oracle.seesComment(me, comment)
		const post = tables.posts.find(({ id }) => id === comment.post_id)
		const isThread = oracle.seesPost(me, post) && oracle.seesThread(me, comment)
		const isRead = oracle.readsComment(me, comment)
		await expectBody(comments.getPostComment, { params }, isRead, () => oracle.viewComment(me, comment))
		await expectPages(comments.listReplies, { params }, isRead, () => oracle.repliesTo(me, comment), false)
		const reacted = () => oracle.reactionsTo('comment_id', comment.id)
		await expectPages(reactions.listCommentReactions, { params }, isSeen, reacted, false)
		await expectNotFound(
			comments.createReply,
			{ params, body: { body: 'x' } },
			isThread && comment.parent_id === null,
		)
		await expectNotFound(comments.deletePostComment, { params }, isSeen)
		const target = { reactable_type: 'Comment', reactable_id: comment.id }
		await expectNotFound(reactions.react, { body: target }, isSeen)
	}
	for (const image of tables.images) {
		const post = tables.posts.find(({ id }) => id === image.post_id)
		const isSeen = oracle.seesPost(me, post)
		const input = { params: { imageId: image.id } }
		expect((await ask(getImage, input)).status, label(getImage, input)).toBe(
			oracle.readsPost(me, post) ? 200 : 404,
		)
		const target = { reactable_type: 'Image', reactable_id: image.id }
		await expectNotFound(reactions.react, { body: target }, isSeen)
	}
	for (const event of tables.events) {
		const params = { eventId: event.id }
		const isSeen = oracle.seesEvent(me, event)
		const { capacity, waitlist_enabled } = event
		await expectBody(events.getEvent, { params }, isSeen && event.space_id !== null, () => ({
			...oracle.viewEvent(me, event),
			capacity,
			waitlist_enabled: waitlist_enabled === 1,
		}))
		await expectFixed(events.listAttendees, { params }, isSeen, () => oracle.eventAttendees(event))
		const file = await ask(getEventCalendar, { params })
		expect(
			file.status === 200 ? uidsIn(file.text) : file.status,
			label(getEventCalendar, { params }),
		).toEqual(isSeen ? [event.id] : 404)
		await expectNotFound(events.attendEvent, { params }, isSeen)
	}
	for (const member of tables.memberships) {
		const params = { memberId: member.id }
		const isHere = member.community_id === me.community_id
		await expectFixed(spaces.listMemberSpaces, { params }, isHere, () => oracle.memberSpaces(me, member))
		const isShown = isHere && member.status === 'active'
		await expectBody(members.getPublicProfile, { params }, isShown, () => oracle.profile(member))
		await expectPages(posts.listMemberPosts, { params }, isShown, () => oracle.memberPosts(me, member), false)
		await expectPages(
			comments.listMemberComments,
			{ params },
			isShown,
			() => oracle.memberComments(me, member),
			false,
		)
	}
	return requests

	async function expectNotifications(): Promise<void> {
		const all = oracle.memberNotifications(me)
		for (const [status, expected] of [
			['all', all],
			['unread', all.filter((one) => one.read_at === null)],
			['read', all.filter((one) => one.read_at !== null)],
		] as const) {
			const seen: unknown[] = []
			let cursor: string | null = null
			do {
				const query: Record<string, string> = { status, limit: String(PER_PAGE), ...(cursor && { cursor }) }
				const page = await ask(notifications.listNotifications, { query })
				seen.push(...(JSON.parse(page.text) as { records: unknown[] }).records)
				cursor = page.headers.get('x-next-cursor')
			} while (cursor)
			expect(seen, label(notifications.listNotifications, { query: { status } })).toEqual(expected)
		}
		await expectBody(notifications.countNotifications, {}, true, () => ({
			unread: all.filter((one) => one.read_at === null).length,
			has_more: false,
		}))
	}

	async function expectCalendarFeed(): Promise<void> {
		const { url } = (await world.ask(resetCalendarFeed, {}, who)).ok
		const feedFile = new URL(url).pathname.split('/').at(-1) as string
		const feed = await world.ask(readCalendarFeed, { params: { feedFile } })
		expect(uidsIn(feed.text), label(readCalendarFeed, {})).toEqual(oracle.calendarFeed(me))
		requests += 2
	}
}

const uidsIn = (calendar: string): number[] =>
	[...calendar.matchAll(/^UID:event-(\d+)@/gm)].map(([, id]) => Number(id))

/** Runs `compareReach` for several people in all their communities. Rejected requests must not change data. */
export async function compareAllReach(
	world: World,
	people: { token: string; userId: number }[],
): Promise<number> {
	const tables = await readTables(world)
	const oracle = buildOracle(tables, world.now)
	let requests = 0
	for (const { token, userId } of people)
		for (const me of tables.memberships.filter((one) => one.user_id === userId)) {
			const headers = { 'x-community-id': String(me.community_id) }
			requests += await compareReach(world, oracle, { token, headers }, me)
		}
	const { calendar_feeds: _, ...after } = (await world.dump()) as Record<string, unknown>
	const { calendar_feeds: __, ...before } = tables as Record<string, unknown>
	expect(after).toEqual(before)
	return requests
}
