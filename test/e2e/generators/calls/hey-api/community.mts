import { createClient, createConfig } from './client'
import {
	addCommunityMember,
	attendEvent,
	countNotifications,
	createBookmark,
	createCommunity,
	createEvent,
	createMemberToken,
	createPost,
	createPostComment,
	createReply,
	createSpace,
	deletePost,
	getCurrentMember,
	getPost,
	listBookmarks,
	listCommunityEvents,
	listCommunityMembers,
	listNotifications,
	listPostComments,
	listSpacePosts,
	listSpaces,
	react,
	refreshMemberToken,
	searchCommunity,
	setAvatar,
} from './sdk.gen'
import type { Account, Tally } from './tally.mts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Calls operations about a community, its members, posts, comments, reactions, events and notifications. */
export async function callCommunity(
	baseUrl: string,
	{ done, refused, matches }: Tally,
	{ email, token, key }: Account,
): Promise<void> {
	const as = (bearer: string) =>
		createClient(createConfig({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? bearer : undefined) }))
	const owner = as(token)
	const body = { name: 'Club', slug: 'club-hey-api' }
	const community = await done('createCommunity', createCommunity({ client: owner, body }))
	const communityId = community.data.id
	const params = { path: { communityId } }
	const addSpace = (name: string, spaceType: 'basic' | 'event') =>
		done(
			'createSpace',
			createSpace({
				client: owner,
				...params,
				body: { name, slug: name.toLowerCase(), spaceType, visibility: 'public' },
			}),
		)
	const talk = await addSpace('Talk', 'basic')
	const dates = await addSpace('Dates', 'event')
	const added = await done(
		'addCommunityMember',
		addCommunityMember({
			client: owner,
			...params,
			body: { ssoUserId: 'u-1', name: 'Bo Reed', status: 'active' },
		}),
	)
	matches(added.data, { name: 'Bo Reed', status: 'active', managed: true })
	const members = await done(
		'listCommunityMembers',
		listCommunityMembers({ client: owner, ...params, query: { ssoUserId: 'u-1', status: 'active' } }),
	)
	matches(members.data, [{ ssoUserId: 'u-1' }])

	const program = createClient(
		createConfig({ baseUrl, auth: ({ type }) => (type === 'apiKey' ? key : undefined) }),
	)
	const mint = (who: { sso_user_id: string } | { email: string }) =>
		done(
			'createMemberToken',
			createMemberToken({ client: program, body: { ...who, community_id: communityId } }),
		)
	const bosTokens = await mint({ sso_user_id: 'u-1' })
	const bo = as(bosTokens.access_token)
	const ada = as((await mint({ email })).access_token)
	const me = await done('getCurrentMember', getCurrentMember({ client: bo }))
	matches(me, { name: 'Bo Reed', role: 'member', community: { id: communityId } })
	const spaces = await done('listSpaces', listSpaces({ client: bo }))
	matches(spaces.records, [{ name: 'Talk' }, { name: 'Dates' }])

	const avatar = Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0))
	await done('setAvatar', setAvatar({ client: bo, body: new Blob([avatar], { type: 'image/png' }) }))

	const inTalk = { path: { spaceId: talk.data.id } }
	const post = await done(
		'createPost',
		createPost({ client: ada, ...inTalk, body: { name: 'Hello', body: 'Lanterns at dusk' } }),
	)
	const onPost = { path: { postId: post.id } }
	const posts = await done(
		'listSpacePosts',
		listSpacePosts({ client: bo, ...inTalk, query: { per_page: 5 } }),
	)
	matches(posts.records, [{ id: post.id, name: 'Hello', comments_count: 0 }])
	const comment = await done(
		'createPostComment',
		createPostComment({ client: bo, ...onPost, body: { body: 'Lovely' } }),
	)
	const onComment = { path: { commentId: comment.id } }
	const reply = await done(
		'createReply',
		createReply({ client: ada, ...onComment, body: { body: 'Thanks' } }),
	)
	matches(reply, { parent_comment_id: comment.id, post_id: post.id })
	const comments = await done('listPostComments', listPostComments({ client: bo, ...onPost }))
	matches(comments.records, [{ body: 'Lovely', replies: [{ body: 'Thanks' }] }])
	const liked = { reactable_type: 'Post', reactable_id: post.id, reaction: 'like' } as const
	matches(await done('react', react({ client: bo, body: liked })), { reaction: 'like' })
	const read = await done('getPost', getPost({ client: bo, ...onPost }))
	matches(read, { comments_count: 2, my_reaction: 'like' })
	await refused('deletePost', 403, deletePost({ client: bo, ...onPost }))
	const bookmark = { bookmarkable_type: 'Post', bookmarkable_id: post.id } as const
	await done('createBookmark', createBookmark({ client: bo, body: bookmark }))
	matches((await done('listBookmarks', listBookmarks({ client: bo }))).records, [{ record_id: post.id }])

	const event = await done(
		'createEvent',
		createEvent({
			client: ada,
			path: { spaceId: dates.data.id },
			body: {
				title: 'Walk',
				starts_at: '2100-05-01T10:00:00Z',
				ends_at: '2100-05-01T11:00:00Z',
				capacity: 1,
			},
		}),
	)
	const place = await done('attendEvent', attendEvent({ client: bo, path: { eventId: event.id } }))
	matches(place, { rsvp_status: 'going' })
	const events = await done('listCommunityEvents', listCommunityEvents({ client: bo }))
	matches(events.records, [{ display_title: 'Walk', rsvp_count: 1, rsvped_event: 'going' }])
	const query = { search_text: 'lanterns' }
	const found = await done('searchCommunity', searchCommunity({ client: bo, query }))
	matches(found.records, [{ type: 'post', id: String(post.id) }])
	await done('countNotifications', countNotifications({ client: ada }))
	await done('listNotifications', listNotifications({ client: ada }))
	const refreshed = await done(
		'refreshMemberToken',
		refreshMemberToken({ client: as(''), body: { refresh_token: bosTokens.refresh_token } }),
	)
	matches(refreshed, { community_member_id: me.id })
}
