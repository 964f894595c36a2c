import { beforeEach, describe, expect, test } from 'vitest'
import { inviteMemberByMail } from '#schema/contract/community/manage/invitations.ts'
import { deactivateMember } from '#schema/contract/community/member/members.ts'
import { banMember, unbanMember } from '#schema/contract/community/member/moderation.ts'
import { allOperations } from '#schema/contract/index.ts'
import type { Operation } from '#schema/contract/kit/operation.ts'
import { knownFields } from '../../support/edge/known-fields.ts'
import { openWorld, type World } from '../../support/edge/world.ts'
import { type Community, insert, openCommunity, select } from './community.ts'

/** Roles from lowest to highest. */
const roles = ['member', 'moderator', 'admin', 'owner'] as const
type Role = (typeof roles)[number]

/** Lists who may use an operation on content of others. Every operation needs an entry. */
const rules = {
	/** Reading visible content and acting for oneself. */
	anyone: [
		'listSpaces',
		'getSpace',
		'getHomeSpace',
		'searchCommunity',
		'searchMembersByBody',
		'likePost',
		'unlikePost',
		'listPostLikes',
		'likeComment',
		'unlikeComment',
		'listCommentLikes',
		'countNewNotifications',
		'resetNewNotifications',
		'joinSpace',
		'leaveSpace',
		'markSpaceRead',
		'listTopics',
		'listSpaceBookmarks',
		'listMemberSpaces',
		'listMemberSpaceGroups',
		'getMemberSpaceGroup',
		'listAllTopics',
		'getCurrentMember',
		'listMemberCards',
		'searchMembers',
		'updateProfile',
		'setAvatar',
		'deactivateMember',
		'getPublicProfile',
		'listProfileFields',
		'listPageProfileFields',
		'listCommunityLinks',
		'listHomePosts',
		'listSpacePosts',
		'listMemberPosts',
		'listMemberComments',
		'searchPosts',
		'getPost',
		'getPostOfSpace',
		'createPost',
		'getImage',
		'listPostComments',
		'listReplies',
		'getPostComment',
		'getCommentOfPost',
		'getReply',
		'createPostComment',
		'createReply',
		'listBookmarks',
		'createBookmark',
		'deleteBookmark',
		'listPostFollowers',
		'followPost',
		'unfollowPost',
		'react',
		'unreact',
		'listPostReactions',
		'listCommentReactions',
		'flagContent',
		'listCommunityEvents',
		'getEvent',
		'listAttendees',
		'attendEvent',
		'leaveEvent',
		'getEventCalendar',
		'resetCalendarFeed',
		'deleteCalendarFeed',
		'listNotifications',
		'countNotifications',
		'streamNotifications',
		'createStreamToken',
		'streamCommunity',
		'markAllNotificationsRead',
		'getNotificationPreferences',
		'updateNotificationPreferences',
	],
	/** Allowed only for the author, and so rejected for every role here. */
	authorOnly: [
		'updatePost',
		'updatePostOfSpace',
		'addPostImage',
		'updateImage',
		'updatePostComment',
		'updateCommentOfPost',
		'updateReply',
		'markNotificationRead',
		'getNotification',
		'archiveNotification',
		'deleteNotification',
	],
	/** Allowed for moderators and higher roles. */
	moderators: [
		'deletePost',
		'deletePostOfSpace',
		'deletePostComment',
		'deleteCommentOfPost',
		'deleteReply',
		'deleteImage',
		'createEvent',
		'updateEvent',
		'deleteEvent',
		'listFlags',
		'dismissFlag',
		'listHidden',
		'hidePost',
		'restorePost',
		'hideComment',
		'restoreComment',
		'banMember',
		'unbanMember',
		'inviteMemberByMail',
	],
}

const operations = allOperations.filter((op) => op.auth === 'member')
/** An alias deletes what its operation has deleted already, so only members try it. */
const isOwnOperation = (id: string) => !operations.some((op) => op.id === id && op.aliasOf)
const operationsUnder = (rule: keyof typeof rules) => operations.filter((op) => rules[rule].includes(op.id))

test('every operation of the headless API has a rule in the table of roles', { tags: 'd1' }, () => {
	expect(operations.map((op) => op.id).sort()).toEqual(Object.values(rules).flat().sort())
})

let world: World
let fixture: Community
let people: Record<Role, Awaited<ReturnType<Community['member']>>>
let ids: Record<string, number>
beforeEach(async () => {
	world = await openWorld()
	fixture = await openCommunity(world)
	const join = (role: Role) => fixture.member({ role })
	people = {
		member: await join('member'),
		moderator: await join('moderator'),
		admin: await join('admin'),
		owner: fixture.owner,
	}
	const spaceId = await fixture.space()
	const author = await fixture.member()
	const postId = await fixture.post(spaceId, { author_id: author.userId })
	const of = { community_id: fixture.id, post_id: postId, author_id: author.userId, created_at: 1 }
	const commentId = await insert(world, 'post_comments', { ...of, body: 'x', updated_at: 1 })
	const image = {
		community_id: fixture.id,
		post_id: postId,
		object_key: 'x',
		content_type: 'image/png',
		created_at: 1,
	}
	const flag = {
		community_id: fixture.id,
		post_id: postId,
		membership_id: author.memberId,
		reason: 'x',
		created_at: 1,
	}
	const notification = {
		membership_id: author.memberId,
		kind: 'post_comment',
		subject_id: commentId,
		created_at: 1,
	}
	ids = {
		spaceId,
		postId,
		commentId,
		memberId: author.memberId,
		eventId: await fixture.event(spaceId),
		imageId: await insert(world, 'images', image),
		flagId: await insert(world, 'flags', flag),
		notificationId: await insert(world, 'notifications', notification),
	}
})

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const body = {
	body: 'Changed',
	alt: 'Changed',
	title: 'Changed',
	email: 'new@example.org',
	starts_at: '2038-01-01T00:00:00Z',
	ends_at: '2038-01-01T01:00:00Z',
}

async function statusOfCall(op: Operation, role: Role): Promise<number> {
	const path = op.path.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name] ?? 1))
	const { token, headers } = people[role]
	const sent = op.takesBytes ? png : op.body ? JSON.stringify(knownFields(op, body)) : undefined
	const response = await world.fetch(
		new Request(`https://edge.test${path}`, {
			method: op.method.toUpperCase(),
			headers: {
				...headers,
				authorization: `Bearer ${token}`,
				...(sent && { 'content-type': op.takesBytes ? 'image/png' : 'application/json' }),
			},
			...(sent && { body: sent }),
		}),
	)
	return response.status
}

describe('content of other members', () => {
	test('rejects members who change content of others or read moderator lists', { tags: 'd1' }, async () => {
		const before = await world.dump()
		for (const op of [...operationsUnder('moderators'), ...operationsUnder('authorOnly')])
			expect([403, 404], op.id).toContain(await statusOfCall(op, 'member'))
		expect(await world.dump()).toEqual(before)
	})

	test.each(['moderator', 'admin', 'owner'] as const)(
		'rejects changes to content of others by the role %s',
		async (role) => {
			const before = await world.dump()
			for (const op of operationsUnder('authorOnly'))
				expect([403, 404], op.id).toContain(await statusOfCall(op, role))
			expect(await world.dump()).toEqual(before)
		},
	)

	test.each(['moderator', 'admin', 'owner'] as const)(
		'lets the role %s moderate content of others',
		async (role) => {
			// Deletions come last.
			const order = [
				'listFlags',
				'dismissFlag',
				'listHidden',
				'createEvent',
				'updateEvent',
				'deleteEvent',
				'inviteMemberByMail',
				'banMember',
				'unbanMember',
				'hideComment',
				'restoreComment',
				'hidePost',
				'restorePost',
				'deleteImage',
				'deletePostComment',
				'deletePost',
			]
			expect([...order].sort()).toEqual(rules.moderators.filter(isOwnOperation).sort())
			for (const id of order) {
				const op = operations.find((one) => one.id === id) as Operation
				expect([200, 201], id).toContain(await statusOfCall(op, role))
			}
		},
	)
})

describe.each(roles)('the role %s', { tags: 'd1' }, (role) => {
	const isAbove = (other: Role) => role !== 'member' && roles.indexOf(role) > roles.indexOf(other)
	const isAccepted = async (response: Promise<{ status: number }>) => (await response).status < 300

	test.each(roles)('bans and invites members with the role %s only from a higher role', async (other) => {
		const target = await fixture.member({ role: other })
		const at = { params: { memberId: String(target.memberId) } }
		const rowOf = () => select(world, `select role, status from memberships where id = ${target.memberId}`)
		expect(await isAccepted(world.ask(banMember, at, people[role]))).toBe(isAbove(other))
		expect(await rowOf()).toEqual([{ role: other, status: isAbove(other) ? 'banned' : 'active' }])
		await select(world, `update memberships set status = 'banned' where id = ${target.memberId} returning 1`)
		expect(await isAccepted(world.ask(unbanMember, at, people[role]))).toBe(isAbove(other))
		expect(await rowOf()).toEqual([{ role: other, status: isAbove(other) ? 'active' : 'banned' }])
		const invitation = { body: { email: 'new@example.org', role: other } }
		expect(await isAccepted(world.ask(inviteMemberByMail, invitation, people[role]))).toBe(isAbove(other))
	})

	test('nobody unbans members who left or never joined', async () => {
		for (const status of ['inactive', 'invited']) {
			const target = await fixture.member({ status })
			const at = { params: { memberId: String(target.memberId) } }
			for (const op of [banMember, unbanMember])
				expect([403, 404], status).toContain((await world.ask(op, at, people[role])).status)
			const rows = await select(world, `select status from memberships where id = ${target.memberId}`)
			expect(rows).toEqual([{ status }])
		}
	})

	test('lets a member leave unless the role is admin or owner', async () => {
		const status = (await world.ask(deactivateMember, {}, people[role])).status
		expect(status).toBe(['owner', 'admin'].includes(role) ? 403 : 200)
	})
})
