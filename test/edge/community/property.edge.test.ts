import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import {
	putAccessGroupMember,
	removeAccessGroupMember,
} from '#schema/contract/community/manage/access-groups.ts'
import { updateCommunityMember } from '#schema/contract/community/manage/memberships.ts'
import { updateSpace } from '#schema/contract/community/manage/spaces.ts'
import * as bookmarks from '#schema/contract/community/member/bookmarks.ts'
import * as events from '#schema/contract/community/member/events.ts'
import * as followers from '#schema/contract/community/member/followers.ts'
import { getPublicProfile } from '#schema/contract/community/member/members.ts'
import * as moderation from '#schema/contract/community/member/moderation.ts'
import { markAllNotificationsRead } from '#schema/contract/community/member/notifications.ts'
import * as comments from '#schema/contract/community/member/post-comments.ts'
import { react, unreact } from '#schema/contract/community/member/post-reactions.ts'
import * as posts from '#schema/contract/community/member/posts.ts'
import * as spaces from '#schema/contract/community/member/spaces.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { type Chooser, chooserFrom } from '../../support/shared/random.ts'
import { type DeletionWorld, openDeletionWorld } from '../operations/account-deletion/deletion-world.ts'
import { type Community, insert, openCommunity, select } from './community.ts'
import { openRsvpModel } from './events/rsvp-model.ts'
import { readTables, topicIds } from './tables.ts'

/** npm run prove -- community runs 10 000 operations. */
const OPERATIONS = Number(env.PROOF_OPERATIONS || 500)
const SEED = 1
/** Operations between two checks of all counters. More frequent checks locate a failure better. */
const CHECK_INTERVAL = 250

type Member = Awaited<ReturnType<Community['member']>>

test(`keeps counters equal to their rows and event places in order through ${OPERATIONS} random operations`, async () => {
	const world = await openDeletionWorld()
	const run = await openRandomRun(world, chooserFrom(SEED))
	for (let i = 1; i <= OPERATIONS; i++) {
		await run.step()
		if (i % CHECK_INTERVAL === 0) await expectCorrectCounters(world)
	}
	await world.settle()
	await expectCorrectCounters(world)
	await expectCorrectProfileCounts(world, run.members)
	// Some operations are rejected on purpose, but at least half must succeed.
	expect(run.statuses.get(500) ?? 0).toBe(0)
	const succeeded = (run.statuses.get(200) ?? 0) + (run.statuses.get(201) ?? 0)
	const requests = [...run.statuses.values()].reduce((sum, count) => sum + count, 0)
	expect(succeeded, JSON.stringify([...run.statuses])).toBeGreaterThan(requests * 0.5)
	for (const [who, delete_content] of [
		[run.members[0], true],
		[run.members[1], false],
	] as const)
		await world.request(who as Member, { delete_content })
	await world.execute()
	expect(await select(world, `select id from users where id = ${run.members[0]?.userId}`)).toEqual([])
	await expectCorrectCounters(world)
})

/** Compares every counter with its rows. */
async function expectCorrectCounters(world: DeletionWorld): Promise<void> {
	const tables = await readTables(world)
	const shown = tables.post_comments.filter((one) => one.deleted_at === null)
	const countBy = <T>(rows: T[], key: (row: T) => string | number | null) => {
		const counts = new Map<string | number | null, number>()
		for (const row of rows) counts.set(key(row), (counts.get(key(row)) ?? 0) + 1)
		return (of: string | number) => counts.get(of) ?? 0
	}
	const commentsOf = countBy(shown, (one) => one.post_id)
	const repliesOf = countBy(shown, (one) => one.parent_id)
	const going = tables.event_rsvps.filter((one) => one.status === 'going')
	const goingTo = countBy(going, (one) => one.event_id)
	const waitingFor = countBy(
		tables.event_rsvps.filter((one) => one.status === 'waitlisted'),
		(one) => one.event_id,
	)
	const postsIn = countBy(
		tables.posts.filter((one) => one.deleted_at === null),
		(one) => one.space_id,
	)
	const tagged = tables.posts
		.filter((one) => one.deleted_at === null)
		.flatMap((one) => topicIds(one).map((topic) => ({ space: one.space_id, topic })))
	const topicIn = countBy(tagged, ({ space, topic }) => `${space} ${topic}`)
	const wrong = [
		...tables.posts.filter((one) => one.comments_count !== commentsOf(one.id)),
		...shown.filter((one) => one.replies_count !== repliesOf(one.id)),
		// Placeholders of removed comments.
		...tables.post_comments.filter((one) => {
			const isPlaceholder = one.deleted_at !== null && repliesOf(one.id) > 0
			return isPlaceholder && one.replies_count !== repliesOf(one.id)
		}),
		...tables.events.filter((one) => one.going_count !== goingTo(one.id)),
		...tables.events.filter((one) => one.waitlisted_count !== waitingFor(one.id)),
		...tables.spaces.filter((one) => one.posts_count !== postsIn(one.id)),
		// A member waits although a place is free.
		...tables.events.filter(
			(one) => waitingFor(one.id) > 0 && goingTo(one.id) < (one.capacity ?? Number.POSITIVE_INFINITY),
		),
		...tables.space_topics.filter((one) => one.posts_count !== topicIn(`${one.space_id} ${one.tag_id}`)),
	]
	expect(wrong).toEqual([])
	const counted = tables.space_topics.reduce((sum, one) => sum + one.posts_count, 0)
	expect(counted, 'topics without a counter').toBe(tagged.length)
}

/** Compares the comment counts of profiles with the rows. */
async function expectCorrectProfileCounts(world: DeletionWorld, members: Member[]): Promise<void> {
	const tables = await readTables(world)
	const isShown = new Set(tables.posts.filter((one) => one.deleted_at === null).map(({ id }) => id))
	const reader = members.find(({ memberId }) =>
		tables.memberships.some((one) => one.id === memberId && one.status === 'active'),
	) as Member
	let compared = 0
	for (const { id, user_id, status } of tables.memberships) {
		if (status !== 'active') continue
		const profile = await world.ask(getPublicProfile, { params: { memberId: String(id) } }, reader)
		const visibleComments = tables.post_comments.filter(
			(one) => one.author_id === user_id && one.deleted_at === null && isShown.has(one.post_id),
		)
		expect([id, profile.ok.comments_count]).toEqual([id, visibleComments.length])
		compared += visibleComments.length
	}
	expect(compared).toBeGreaterThan(0)
}

async function openRandomRun(world: DeletionWorld, chooser: Chooser) {
	const { one, pick, below, some } = chooser
	const community = await openCommunity(world)
	const members: Member[] = []
	for (let i = 0; i < 8; i++) members.push(await community.member({ role: i < 6 ? 'member' : 'moderator' }))
	const { owner } = community
	const spaceIds = [
		await community.space(),
		await community.space({ visibility: 'private' }),
		await community.space({ visibility: 'secret' }),
	]
	const group = await community.grant(
		members.slice(0, 5).map(({ memberId }) => memberId),
		spaceIds.slice(1),
	)
	const tagIds: number[] = []
	for (const slug of ['a', 'b', 'c'])
		tagIds.push(await insert(world, 'tags', { community_id: community.id, name: slug, slug, created_at: 1 }))
	const postIds: number[] = []
	const commentIds: number[] = []
	const rsvps = openRsvpModel()
	const statuses = new Map<number, number>()

	const ask = async (op: Operation, who: Member, input: object = {}) => {
		const answer = await world.ask(op, input as never, who)
		statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
		return {
			status: answer.status,
			created: answer.status < 300 && answer.text ? JSON.parse(answer.text) : undefined,
		}
	}
	const ofPost = () => ({ params: { postId: String(recent(postIds)) } })
	const ofComment = () => ({ params: { commentId: String(recent(commentIds)) } })
	const inSpace = () => ({ params: { spaceId: String(one(spaceIds)) } })
	/** Picks mostly recent ids, so that several operations affect the same object. */
	const recent = (ids: number[]) => ids[Math.max(0, ids.length - 1 - below(below(40) + 1))] ?? 0
	const someone = () => one([...members, owner]) as Member
	const moderator = () => one([...members.slice(6), owner]) as Member
	const member = () => one(members) as Member
	const written = {
		posts: { ids: postIds, authors: new Map<number, Member>(), param: 'postId' },
		comments: { ids: commentIds, authors: new Map<number, Member>(), param: 'commentId' },
	}
	const write = async (what: keyof typeof written, op: Operation, input: object) => {
		const who = someone()
		const id = (await ask(op, who, input)).created?.id
		if (id === undefined) return
		written[what].ids.push(id)
		written[what].authors.set(id, who)
	}
	/** Changes content mostly as its author, because others may only moderate. */
	const rewrite = (what: keyof typeof written, op: Operation, body?: object) => {
		const { ids, authors, param } = written[what]
		const id = recent(ids)
		const author = authors.get(id)
		const who = author && chooser.chance(0.8) ? author : someone()
		return ask(op, who, { params: { [param]: String(id) }, ...(body && { body }) })
	}
	const target = () => {
		const isPost = chooser.chance(0.5)
		const id = recent(isPost ? postIds : commentIds)
		return { reactable_type: isPost ? 'Post' : 'Comment', reactable_id: id }
	}
	const toCommunity = { communityId: String(community.id) }
	const times = { starts_at: '2038-01-01T00:00:00Z', ends_at: '2038-01-01T01:00:00Z' }

	/** Runs an RSVP operation and compares the rows with the model. */
	async function aroundEvent(act: (id: number) => Promise<unknown>): Promise<void> {
		const id = one(rsvps.ids())
		if (id === undefined) return
		await act(id)
		const rows = await select<{ member: number; status: string }>(
			world,
			`select membership_id as member, status from event_rsvps where event_id = ${id} order by id`,
		)
		expect(rows, `event ${id}`).toEqual(rsvps.rsvpRows(id))
	}
	async function ban(): Promise<void> {
		const { memberId } = member()
		const { status } = await ask(moderation.banMember, owner, { params: { memberId: String(memberId) } })
		if (status === 200) rsvps.leaveAll(memberId)
	}
	async function setStatus(status: 'active' | 'inactive'): Promise<void> {
		const { memberId } = member()
		const params = { ...toCommunity, memberId: String(memberId) }
		const answer = await ask(updateCommunityMember, owner, { params, body: { status } })
		if (answer.status === 200 && status === 'inactive') rsvps.leaveAll(memberId)
	}
	const ofEvent = (id: number) => ({ params: { eventId: String(id) } })

	const acts: [number, () => Promise<unknown>][] = [
		[
			8,
			() =>
				write('posts', posts.createPost, { ...inSpace(), body: { body: 'P', topics: some(tagIds, 0.5) } }),
		],
		[4, () => rewrite('posts', posts.updatePost, { topics: some(tagIds, 0.5) })],
		[2, () => rewrite('posts', posts.deletePost)],
		[2, () => ask(moderation.hidePost, moderator(), ofPost())],
		[2, () => ask(moderation.restorePost, moderator(), ofPost())],
		[10, () => write('comments', comments.createPostComment, { ...ofPost(), body: { body: 'C' } })],
		[10, () => write('comments', comments.createReply, { ...ofComment(), body: { body: 'R' } })],
		[2, () => rewrite('comments', comments.updatePostComment, { body: 'D' })],
		[4, () => rewrite('comments', comments.deletePostComment)],
		[3, () => ask(moderation.hideComment, moderator(), ofComment())],
		[3, () => ask(moderation.restoreComment, moderator(), ofComment())],
		[10, () => ask(react, someone(), { body: { ...target(), reaction: pick('like', '🎬') } })],
		[5, () => ask(unreact, someone(), { body: target() })],
		[5, () => ask(bookmarks.createBookmark, someone(), { body: { bookmarkable_id: recent(postIds) } })],
		[3, () => ask(bookmarks.deleteBookmark, someone(), ofPost())],
		[4, () => ask(followers.followPost, someone(), ofPost())],
		[3, () => ask(followers.unfollowPost, someone(), ofPost())],
		[
			12,
			() =>
				aroundEvent(async (id) => {
					const who = someone()
					const { status } = await ask(events.attendEvent, who, ofEvent(id))
					if (status !== 403 && status !== 404) expect(status).toBe(rsvps.attend(id, who.memberId))
				}),
		],
		[
			8,
			() =>
				aroundEvent(async (id) => {
					const who = someone()
					if ((await ask(events.leaveEvent, who, ofEvent(id))).status === 200) rsvps.leave(id, who.memberId)
				}),
		],
		[
			3,
			() =>
				aroundEvent(async (id) => {
					const body = { capacity: pick(null, 1, 2, 3, 5), waitlist_enabled: chooser.chance(0.7) }
					if ((await ask(events.updateEvent, owner, { ...ofEvent(id), body })).status === 200)
						rsvps.change(id, body)
				}),
		],
		[
			2,
			async () => {
				if (rsvps.ids().length > 5) return
				const body = {
					title: 'E',
					...times,
					capacity: pick(null, 1, 3),
					waitlist_enabled: chooser.chance(0.7),
				}
				const { created } = await ask(events.createEvent, moderator(), { ...inSpace(), body })
				if (created) rsvps.open(created.id, body)
			},
		],
		[
			1,
			() =>
				aroundEvent(async (id) => {
					if (rsvps.ids().length > 2 && (await ask(events.deleteEvent, owner, ofEvent(id))).status === 200)
						rsvps.close(id)
				}),
		],
		[1, ban],
		[8, () => ask(moderation.unbanMember, owner, { params: { memberId: String(member().memberId) } })],
		[2, () => setStatus(chooser.chance(0.1) ? 'inactive' : 'active')],
		[
			2,
			() => {
				const params = { ...toCommunity, accessGroupId: String(group), memberId: String(member().memberId) }
				return chooser.chance(0.7)
					? ask(putAccessGroupMember, owner, { params, body: {} })
					: ask(removeAccessGroupMember, owner, { params })
			},
		],
		[
			1,
			() =>
				ask(updateSpace, owner, {
					params: { ...toCommunity, ...inSpace().params },
					body: { visibility: pick('public', 'public', 'private', 'secret') },
				}),
		],
		[2, () => ask(chooser.chance(0.5) ? spaces.joinSpace : spaces.leaveSpace, someone(), inSpace())],
		[2, () => ask(markAllNotificationsRead, someone())],
		[
			2,
			() => {
				const { reactable_type: content_type, reactable_id: content_id } = target()
				return ask(moderation.flagContent, someone(), { body: { content_type, content_id, reason: 'Why' } })
			},
		],
		[4, () => world.settle()],
	]
	const total = acts.reduce((sum, [weight]) => sum + weight, 0)

	return {
		members,
		statuses,
		async step(): Promise<void> {
			let left = below(total)
			for (const [weight, act] of acts) {
				if (left < weight) return void (await act())
				left -= weight
			}
		},
	}
}
