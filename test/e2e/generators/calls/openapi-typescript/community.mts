import createClient from 'openapi-fetch'
import type { paths } from './schema'
import type { Account, Tally } from './tally.mts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Calls operations about a community, its members, posts, comments, reactions, events and notifications. */
export async function callCommunity(
	baseUrl: string,
	{ done, refused, matches }: Tally,
	{ email, token, key }: Account,
): Promise<void> {
	const as = (bearer: string) =>
		createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${bearer}` } })
	const owner = as(token)
	const body = { name: 'Club', slug: 'club-openapi-fetch' }
	const community = await done('createCommunity', owner.POST('/v1/communities', { body }))
	const communityId = community.data.id
	const params = { path: { communityId } }
	const addSpace = (name: string, spaceType: 'basic' | 'event') =>
		done(
			'createSpace',
			owner.POST('/v1/communities/{communityId}/spaces', {
				params,
				body: { name, slug: name.toLowerCase(), spaceType, visibility: 'public' },
			}),
		)
	const talk = await addSpace('Talk', 'basic')
	const dates = await addSpace('Dates', 'event')
	const added = await done(
		'addCommunityMember',
		owner.POST('/v1/communities/{communityId}/members', {
			params,
			body: { ssoUserId: 'u-1', name: 'Bo Reed', status: 'active' },
		}),
	)
	matches(added.data, { name: 'Bo Reed', status: 'active', managed: true })
	const members = await done(
		'listCommunityMembers',
		owner.GET('/v1/communities/{communityId}/members', {
			params: { ...params, query: { ssoUserId: 'u-1', status: 'active' } },
		}),
	)
	matches(members.data, [{ ssoUserId: 'u-1' }])

	const program = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': key } })
	const mint = (who: { sso_user_id: string } | { email: string }) =>
		done(
			'createMemberToken',
			program.POST('/api/v1/headless/auth_token', { body: { ...who, community_id: communityId } }),
		)
	const bosTokens = await mint({ sso_user_id: 'u-1' })
	const bo = as(bosTokens.access_token)
	const ada = as((await mint({ email })).access_token)
	const me = await done('getCurrentMember', bo.GET('/api/headless/v1/community_member'))
	matches(me, { name: 'Bo Reed', role: 'member', community: { id: communityId } })
	const spaces = await done('listSpaces', bo.GET('/api/headless/v1/spaces'))
	matches(spaces.records, [{ name: 'Talk' }, { name: 'Dates' }])

	const avatar = Uint8Array.from(atob(PNG), (character) => character.charCodeAt(0))
	await done(
		'setAvatar',
		bo.PUT('/api/headless/v1/profile/avatar', {
			body: new Blob([avatar], { type: 'image/png' }),
			headers: { 'Content-Type': 'image/png' },
			bodySerializer: (image) => image as Blob,
		}),
	)

	const inTalk = { path: { spaceId: talk.data.id } }
	const post = await done(
		'createPost',
		ada.POST('/api/headless/v1/spaces/{spaceId}/posts', {
			params: inTalk,
			body: { name: 'Hello', body: 'Lanterns at dusk' },
		}),
	)
	const onPost = { path: { postId: post.id } }
	const posts = await done(
		'listSpacePosts',
		bo.GET('/api/headless/v1/spaces/{spaceId}/posts', { params: { ...inTalk, query: { per_page: 5 } } }),
	)
	matches(posts.records, [{ id: post.id, name: 'Hello', comments_count: 0 }])
	const comment = await done(
		'createPostComment',
		bo.POST('/api/headless/v1/posts/{postId}/comments', { params: onPost, body: { body: 'Lovely' } }),
	)
	const onComment = { path: { commentId: comment.id } }
	const reply = await done(
		'createReply',
		ada.POST('/api/headless/v1/comments/{commentId}/replies', {
			params: onComment,
			body: { body: 'Thanks' },
		}),
	)
	matches(reply, { parent_comment_id: comment.id, post_id: post.id })
	const comments = await done(
		'listPostComments',
		bo.GET('/api/headless/v1/posts/{postId}/comments', { params: onPost }),
	)
	matches(comments.records, [{ body: 'Lovely', replies: [{ body: 'Thanks' }] }])
	const liked = { reactable_type: 'Post', reactable_id: post.id, reaction: 'like' } as const
	matches(await done('react', bo.POST('/api/headless/v1/reactions', { body: liked })), { reaction: 'like' })
	const read = await done('getPost', bo.GET('/api/headless/v1/posts/{postId}', { params: onPost }))
	matches(read, { comments_count: 2, my_reaction: 'like' })
	await refused('deletePost', 403, bo.DELETE('/api/headless/v1/posts/{postId}', { params: onPost }))
	const bookmark = { bookmarkable_type: 'Post', bookmarkable_id: post.id } as const
	await done('createBookmark', bo.POST('/api/headless/v1/bookmarks', { body: bookmark }))
	matches((await done('listBookmarks', bo.GET('/api/headless/v1/bookmarks'))).records, [
		{ record_id: post.id },
	])

	const event = await done(
		'createEvent',
		ada.POST('/api/headless/v1/spaces/{spaceId}/events', {
			params: { path: { spaceId: dates.data.id } },
			body: {
				title: 'Walk',
				starts_at: '2100-05-01T10:00:00Z',
				ends_at: '2100-05-01T11:00:00Z',
				capacity: 1,
			},
		}),
	)
	const place = await done(
		'attendEvent',
		bo.POST('/api/headless/v1/events/{eventId}/event_attendees', { params: { path: { eventId: event.id } } }),
	)
	matches(place, { rsvp_status: 'going' })
	const events = await done('listCommunityEvents', bo.GET('/api/headless/v1/community_events'))
	matches(events.records, [{ display_title: 'Walk', rsvp_count: 1, rsvped_event: 'going' }])
	const query = { search_text: 'lanterns' }
	const found = await done('searchCommunity', bo.GET('/api/headless/v1/search', { params: { query } }))
	matches(found.records, [{ type: 'post', id: String(post.id) }])
	await done('countNotifications', ada.GET('/api/headless/v1/notifications/count'))
	await done('listNotifications', ada.GET('/api/headless/v1/notifications'))
	const refreshed = await done(
		'refreshMemberToken',
		as('').PATCH('/api/v1/headless/access_token/refresh', {
			body: { refresh_token: bosTokens.refresh_token },
		}),
	)
	matches(refreshed, { community_member_id: me.id })
}
