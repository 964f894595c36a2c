import { allOperations } from '../../../schema/contract/index.ts'
import type { Operation } from '../../../schema/contract/kit/operation.ts'
import { CALLERS, choosePopularPost, isVisible, MODERATOR, type Size, toId } from './data.ts'

export type CallerKind = 'member' | 'moderator' | 'owner' | 'pupil' | 'key' | 'anonymous'
export type RequestSpec = {
	op: Operation
	who: CallerKind
	params?: Record<string, string | number>
	query?: Record<string, string>
	body?: unknown
	bytes?: Uint8Array
	/** Replaces the token of `who`. */
	token?: string
}
/** Makes a request that is not measured, and returns its parsed response. */
export type SendRequest = (request: RequestSpec) => Promise<never>
export type Case = {
	name: string
	make: (n: number, size: Size, ask: SendRequest) => RequestSpec | Promise<RequestSpec>
}

const byId = new Map(allOperations.map((op) => [op.id, op]))
export const findOperation = (id: string): Operation => {
	const op = byId.get(id)
	if (!op) throw new Error(`unknown operation ${id}`)
	return op
}

/** Returns numbers from 1 to `count` that are spread evenly, in the same order for both sizes. */
const spread = (n: number, count: number): number => 1 + Math.floor(((n * 0.6180339887) % 1) * count)

function firstFrom(start: number, count: number, matches: (i: number) => boolean): number {
	let i = start
	while (!matches(i)) i = (i % count) + 1
	return i
}

const postIn = (n: number, { posts }: Size) => firstFrom(spread(n, posts), posts, isVisible)
/** Comments that the callers see, except those on the popular post, which another case deletes. */
const commentIn = (n: number, { posts, comments }: Size) =>
	firstFrom(spread(n, comments), comments, (i) => i % 50 !== 1 && isVisible(1 + ((i * 3) % posts)))
const eventIn = (n: number, { events }: Size) => firstFrom(spread(n, events), events, (i) => i % 90 < 70)
const memberIn = (n: number, { members }: Size) =>
	firstFrom(spread(n, members), members, (i) => i % 10 !== 0 && i % 50 !== 9 && i > MODERATOR)

const pathOf: Record<string, (n: number, size: Size) => number> = {
	spaceId: (n) => toId(spread(n, 70)),
	postId: (n, size) => toId(postIn(n, size)),
	commentId: (n, size) => toId(commentIn(n, size)),
	eventId: (n, size) => toId(eventIn(n, size)),
	memberId: (n, size) => toId(memberIn(n, size)),
	accessGroupId: () => toId(1),
	// Notifications belong to the callers in turns, from the first row on.
	notificationId: (n, { posts }) => {
		const turn = firstFrom(1 + (n % 150), 190, (k) =>
			isVisible(1 + (((CALLERS * k + (n % CALLERS)) * 7) % posts)),
		)
		return CALLERS * turn + (n % CALLERS)
	},
}

const event = { title: 'Meeting', starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-01T01:00:00Z' }
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3])
const onPost = (n: number, size: Size) => ({ reactable_type: 'Post', reactable_id: toId(postIn(n, size)) })
let unique = 0
const name = () => `n${unique++}`

const bodies: Record<string, (n: number, size: Size) => unknown> = {
	createPost: (n) => ({ name: 'News', body: `What is new ${n}`, topics: [toId(1 + (n % 50)), toId(7)] }),
	createPostComment: (n) => ({ body: `Well ${n}` }),
	createReply: (n) => ({ body: `So ${n}` }),
	createBookmark: (n, size) => ({ bookmarkable_type: 'Post', bookmarkable_id: toId(postIn(n, size)) }),
	react: (n, size) => ({ ...onPost(n, size), reaction: ['🎬', '🔥'][n % 2] }),
	unreact: onPost,
	createEvent: () => event,
	updateEvent: (n) => ({ capacity: 1_000_000 + (n % 2) - 1, virtual_location_url: `https://meet.test/${n}` }),
	updateProfile: (n) => ({ headline: `Films ${n}`, bio: null }),
	updateNotificationPreferences: (n) => ({ post_comment: n % 2 === 0 }),
	updateCommunity: (n) => ({ name: `Community ${n}` }),
	createCommunity: () => ({ name: 'New', slug: name() }),
	addCommunityMember: () => ({ email: `${name()}@added.test` }),
	updateCommunityMember: (n) => ({ headline: `Hi ${n}` }),
	createSpaceGroup: () => ({ name: 'Group', slug: name() }),
	createSpace: () => ({ name: 'Space', slug: name() }),
	updateSpace: (n) => ({ position: n % 100 }),
	createAccessGroup: () => ({ name: 'Friends' }),
	updateAccessGroup: (n) => ({ name: `Friends ${n}` }),
	putAccessGroupMember: () => ({}),
	createCommunityTopic: () => ({ name: 'Topic', slug: name() }),
	createProfileField: () => ({ key: name(), label: 'Field', field_type: 'text' }),
	flagContent: (n, size) => ({ content_type: 'Post', content_id: toId(postIn(n, size)), reason: `Why ${n}` }),
	inviteToCommunity: () => ({ email: `${name()}@invited.test` }),
	inviteMemberByMail: () => ({ email: `${name()}@invited.test` }),
	awardPoints: (n, size) => ({ memberId: toId(memberIn(n, size)), points: 1 + (n % 9), reason: 'Help' }),
	createMemberToken: (n) => ({ community_member_id: toId(1 + (n % 8)) }),
}

type Created = { id: number; data: { id: number }; access_token: string; refresh_token: string; url: string }
type Prepare = (
	n: number,
	size: Size,
	ask: (id: string, more?: Partial<RequestSpec>) => Promise<Created>,
) => Promise<Partial<RequestSpec>>

/** Activates a member who is inactive in the data and whom no other case uses. */
const activateSpareMember: (...args: Parameters<Prepare>) => Promise<{ memberId: number }> = async (
	n,
	{ members },
	ask,
) => {
	const memberId = toId(9 + 50 * Math.floor(spread(n, members - 9) / 50))
	await ask('updateCommunityMember', { params: { memberId }, body: { status: 'active' } })
	return { memberId }
}

/** Creates rows that the request consumes or that must belong to the caller. */
const preparations: Record<string, Prepare> = {
	updatePost: async (_n, _size, ask) => ({
		params: { postId: (await ask('createPost')).id },
		body: { body: 'Changed', topics: [toId(3)] },
	}),
	deletePost: async (_n, _size, ask) => ({ params: { postId: (await ask('createPost')).id } }),
	updatePostComment: async (_n, _size, ask) => ({
		params: { commentId: (await ask('createPostComment')).id },
		body: { body: 'Changed' },
	}),
	deletePostComment: async (_n, _size, ask) => ({
		params: { commentId: (await ask('createPostComment')).id },
	}),
	deleteEvent: async (_n, _size, ask) => ({ params: { eventId: (await ask('createEvent')).id } }),
	leaveEvent: async (n, size, ask) => {
		const params = { eventId: toId(eventIn(n, size)) }
		await ask('attendEvent', { params })
		return { params }
	},
	addPostImage: async (_n, _size, ask) => ({ params: { postId: (await ask('createPost')).id }, bytes: PNG }),
	getImage: async (_n, _size, ask) => {
		const params = { postId: (await ask('createPost')).id }
		return { params: { imageId: (await ask('addPostImage', { params, bytes: PNG })).id } }
	},
	deleteImage: async (_n, _size, ask) => {
		const params = { postId: (await ask('createPost')).id }
		return { params: { imageId: (await ask('addPostImage', { params, bytes: PNG })).id } }
	},
	deactivateMember: async (n, size, ask) => {
		const { memberId } = await activateSpareMember(n, size, ask)
		return {
			token: (await ask('createMemberToken', { body: { community_member_id: memberId } })).access_token,
		}
	},
	readCalendarFeed: async (_n, _size, ask) => ({
		params: { feedFile: new URL((await ask('resetCalendarFeed')).url).pathname.split('/').at(-1) as string },
	}),
	restorePost: async (_n, _size, ask) => {
		const params = { postId: (await ask('createPost')).id }
		await ask('hidePost', { params })
		return { params }
	},
	hidePost: async (_n, _size, ask) => ({ params: { postId: (await ask('createPost')).id } }),
	hideComment: async (_n, _size, ask) => ({ params: { commentId: (await ask('createPostComment')).id } }),
	restoreComment: async (_n, _size, ask) => {
		const params = { commentId: (await ask('createPostComment')).id }
		await ask('hideComment', { params })
		return { params }
	},
	dismissFlag: async (_n, _size, ask) => {
		const content_id = (await ask('createPost')).id
		await ask('flagContent', { body: { content_type: 'Post', content_id, reason: 'Why' } })
		const flags = (await ask('listFlags')) as unknown as { records: { id: number }[] }
		return { params: { flagId: flags.records[0]?.id ?? 0 } }
	},
	revokeCommunityInvitation: async (_n, _size, ask) => ({
		params: { invitationId: (await ask('inviteToCommunity')).data.id },
	}),
	banMember: async (n, size, ask) => ({ params: await activateSpareMember(n, size, ask) }),
	unbanMember: async (n, size, ask) => {
		const params = await activateSpareMember(n, size, ask)
		await ask('banMember', { params })
		return { params }
	},
	refreshMemberToken: async (_n, _size, ask) => ({
		body: { refresh_token: (await ask('createMemberToken')).refresh_token },
	}),
	deleteCommunity: async (_n, _size, ask) => ({
		params: { communityId: (await ask('createCommunity')).data.id },
	}),
	updateSpaceGroup: async (_n, _size, ask) => ({
		params: { spaceGroupId: (await ask('createSpaceGroup')).data.id },
		body: { name: 'Other' },
	}),
	deleteSpaceGroup: async (_n, _size, ask) => ({
		params: { spaceGroupId: (await ask('createSpaceGroup')).data.id },
	}),
	deleteSpace: async (_n, _size, ask) => ({ params: { spaceId: (await ask('createSpace')).data.id } }),
	deleteAccessGroup: async (_n, _size, ask) => ({
		params: { accessGroupId: (await ask('createAccessGroup')).data.id },
	}),
	removeAccessGroupMember: async (n, size, ask) => {
		const params = { memberId: toId(memberIn(n, size)) }
		await ask('putAccessGroupMember', { params })
		return { params }
	},
	removeAccessGroupSpace: async (n, _size, ask) => {
		const accessGroupId = (await ask('createAccessGroup')).data.id
		const params = { accessGroupId, spaceId: toId(spread(n, 70)) }
		await ask('putAccessGroupSpace', { params })
		return { params }
	},
	updateCommunityTopic: async (_n, _size, ask) => ({
		params: { topicId: (await ask('createCommunityTopic')).data.id },
		body: { name: 'Other' },
	}),
	deleteCommunityTopic: async (_n, _size, ask) => ({
		params: { topicId: (await ask('createCommunityTopic')).data.id },
	}),
	updateProfileField: async (_n, _size, ask) => ({
		params: { fieldId: (await ask('createProfileField')).data.id },
		body: { label: 'Other' },
	}),
	deleteProfileField: async (_n, _size, ask) => ({
		params: { fieldId: (await ask('createProfileField')).data.id },
	}),
}

const queries: Record<string, (n: number) => Record<string, string>> = {
	searchPosts: (n) => ({ search_text: `word${n % 1000}` }),
	searchMembers: (n) => ({ search_text: `member ${n}` }),
	searchCommunity: (n) => ({ search_text: `word${n % 1000}` }),
}

/** Operations that can't be measured, with the reason. */
const excluded: Record<string, string> = {
	streamNotifications: 'stays open',
	streamCommunity: 'stays open',
	acceptCommunityInvitation: 'needs a token from a mail',
	getCommunityDomain: 'needs a community with a domain',
	checkCommunityDomain: 'queries a DNS resolver',
	removeCommunityMember: 'removes a member for good, and joining needs a mail',
}

const extra = ['readCalendarFeed', 'createMemberToken', 'refreshMemberToken']
const forModerators = [
	'inviteMemberByMail',
	...['createEvent', 'updateEvent', 'deleteEvent', 'listFlags', 'dismissFlag', 'listHidden'],
	...['hidePost', 'restorePost', 'hideComment', 'restoreComment', 'banMember', 'unbanMember'],
]

/** An alias runs the handler of the operation that it stands for. */
const isMeasured = (op: Operation) =>
	!op.aliasOf &&
	!(op.id in excluded) &&
	(op.auth === 'member' || op.path.startsWith('/v1/communities') || extra.includes(op.id))

const callerOf = (op: Operation): CallerKind => {
	if (op.auth === 'public') return 'anonymous'
	if (op.auth === 'headless-auth') return 'key'
	if (op.auth !== 'member') return 'owner'
	return forModerators.includes(op.id) ? 'moderator' : 'member'
}

async function compose(op: Operation, n: number, size: Size, ask: SendRequest): Promise<RequestSpec> {
	const names = [...op.path.matchAll(/\{(\w+)\}/g)].map(([, found = '']) => found)
	const of = (one: Operation, more: Partial<RequestSpec> = {}): RequestSpec => {
		const body = bodies[one.id]?.(n, size)
		const parameters =
			one === op ? names : [...one.path.matchAll(/\{(\w+)\}/g)].map(([, found = '']) => found)
		const query = queries[one.id]?.(n)
		const knownIds = parameters.flatMap((key) => (pathOf[key] ? [[key, pathOf[key](n, size)] as const] : []))
		return {
			op: one,
			who: callerOf(one),
			...(body !== undefined && { body }),
			...(query && { query }),
			...more,
			params: { ...Object.fromEntries(knownIds), ...more.params },
		}
	}
	const more = await preparations[op.id]?.(
		n,
		size,
		(id, given) => ask(of(findOperation(id), given)) as Promise<Created>,
	)
	return of(op, more)
}

/** Every endpoint once, and expensive variations of some. */
export const cases: readonly Case[] = [
	...allOperations.filter(isMeasured).map((op) => ({
		name: op.id,
		make: (n: number, size: Size, ask: SendRequest) => compose(op, n, size, ask),
	})),
	...[
		...['getPost', 'listPostComments', 'listPostReactions'].map((id) => ({
			name: `${id} (popular)`,
			make: (_n: number, size: Size): RequestSpec => ({
				op: findOperation(id),
				who: 'member',
				params: { postId: toId(choosePopularPost(size)) },
			}),
		})),
		...['createPostComment'].map((id) => ({
			name: `${id} (popular)`,
			make: (_n: number, size: Size): RequestSpec => ({
				op: findOperation(id),
				who: 'member',
				params: { postId: toId(choosePopularPost(size)) },
				body: { body: 'Me too' },
			}),
		})),
		...['attendEvent', 'getEvent'].map((id) => ({
			name: `${id} (popular)`,
			make: (): RequestSpec => ({ op: findOperation(id), who: 'member', params: { eventId: toId(1) } }),
		})),
		...['listHomePosts', 'listCommunityEvents', 'listBookmarks', 'listSpaces'].map((id) => ({
			name: `${id} (pupil)`,
			make: (): RequestSpec => ({ op: findOperation(id), who: 'pupil' }),
		})),
		{
			name: 'searchPosts (common word)',
			make: (): RequestSpec => ({
				op: findOperation('searchPosts'),
				who: 'member',
				query: { search_text: 'what' },
			}),
		},
		{
			name: 'searchPosts (no match)',
			make: (): RequestSpec => ({
				op: findOperation('searchPosts'),
				who: 'member',
				query: { search_text: 'ength' },
			}),
		},
		...['listHomePosts', 'listCommunityEvents'].map((id) => ({
			name: `${id} (moderator)`,
			make: (): RequestSpec => ({ op: findOperation(id), who: 'moderator' }),
		})),
		...['listHomePosts', 'listSpacePosts', 'listMemberCards', 'listCommunityEvents'].map((id) => ({
			name: `${id} (page 5)`,
			make: (n: number): RequestSpec => ({
				op: findOperation(id),
				who: 'member',
				params: { spaceId: toId(spread(n, 60)) },
				query: { page: '5' },
			}),
		})),
	],
]
