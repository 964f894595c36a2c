import type { NotificationKind } from '#schema/contract/community/member/notifications.ts'
import { describeNotification } from '../../../edge/community/notifications/sentence.ts'
import { DAY } from '../../../edge/platform/clock.ts'
import { buildViews, by, find, iso } from './oracle-views.ts'
import {
	type Comment,
	type Event,
	type Membership,
	type Notification,
	type Post,
	type Space,
	type Tables,
	topicIds,
} from './tables.ts'

const isoOrNull = (at: number | null) => (at === null ? null : iso(at))
const excerpt = (text: string) => [...text].slice(0, 100).join('')
const octets = (text: string) =>
	[...new TextEncoder().encode(text)].map((octet) => octet.toString(16).padStart(2, '0')).join('')

export type Oracle = ReturnType<typeof buildOracle>

/**
 * Computes the expected responses for each member from the rows alone, without the queries, indexes and conditions of the
 * product. Filters every list by `sees` and counts rows instead of reading counters.
 */
export function buildOracle(tables: Tables, now: number) {
	const views = buildViews(tables, now)
	const { user, space, sees, seesPost, seesComment, seesEvent, membership, personName, author, spaceRef } =
		views
	const { seesThread, repliesTo } = views
	const { viewSpace, viewPost, viewComment, viewEvent, memberCard, memberProfileFields } = views

	const newestFirst = by<Post>(
		({ created_at }) => -created_at,
		({ id }) => -id,
	)
	/** Finds rows that have all words as prefixes; without any, rows that contain the text. */
	function search<R>(rows: R[], textOf: (row: R) => string, query: string): R[] {
		const plain = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
		const words = plain(query).split(' ')
		const hits = rows.filter((row) => {
			const own = plain(textOf(row)).split(/[^a-z]+/)
			return words.every((word) => own.some((one) => one.startsWith(word)))
		})
		return hits.length > 0 ? hits : rows.filter((row) => plain(textOf(row)).includes(plain(query)))
	}

	const bookmarksOf = (me: Membership, inSpace?: Space) =>
		tables.bookmarks
			.filter((one) => one.user_id === me.user_id && one.community_id === me.community_id)
			.map((one) => ({ ...one, post: find(tables.posts, one.post_id) }))
			.filter(({ post }) => seesPost(me, post) && (!inSpace || post?.space_id === inSpace.id))
			.sort(
				by(
					({ created_at }) => -created_at,
					({ id }) => -id,
				),
			)
			.map((one) => ({ ...one, post: one.post as Post }))

	const commentKinds = [
		...['post_comment', 'comment_reply', 'followed_post_comment', 'comment_reaction'],
		...['comment_hidden', 'comment_restored'],
	]
	const eventTarget = ({ id, title }: { id: number; title: string }) => ({
		url: `/events/${id}`,
		notifiable_type: 'Event',
		notifiable_id: id,
		notifiable_title: title,
		path: `/events/${id}`,
	})
	/** Returns the subject of a notification, or null if it is invisible. */
	function subjectOf(me: Membership, { kind, subject_id }: Notification) {
		if (kind === 'event_changed' || kind === 'event_place') {
			const event = find(tables.events, subject_id)
			if (!event || !seesEvent(me, event)) return null
			return {
				space: spaceRef(event.space_id),
				event_id: event.id,
				text: event.title,
				...eventTarget(event),
			}
		}
		if (kind === 'event_cancelled') {
			const event = find(tables.cancelled_events, subject_id)
			if (!event || event.community_id !== me.community_id || !sees(me, space(event.space_id))) return null
			return {
				space: spaceRef(event.space_id),
				event_id: event.id,
				text: event.title,
				...eventTarget(event),
			}
		}
		const comment = commentKinds.includes(kind) ? find(tables.post_comments, subject_id) : undefined
		const isHidden = kind === 'comment_hidden' && comment?.hidden_at
		if (isHidden && !views.mayReadHidden(me, comment)) return null
		if (commentKinds.includes(kind) && !isHidden && !seesComment(me, comment)) return null
		const post = find(tables.posts, comment?.post_id ?? subject_id)
		const readsPost = kind === 'post_hidden' ? views.readsPost : seesPost
		if (!post || !readsPost(me, post) || (isHidden && !seesPost(me, post))) return null
		const hiddenReason = { post_hidden: post.hidden_reason, comment_hidden: comment?.hidden_reason }
		const ids = { post_id: post.id, comment_id: comment?.id ?? null }
		return {
			...ids,
			space: spaceRef(post.space_id),
			text: comment?.body ?? post.body,
			reason: hiddenReason[kind as keyof typeof hiddenReason] ?? null,
			url: `/posts/${post.id}`,
			notifiable_type: comment ? 'Comment' : 'Post',
			notifiable_id: comment?.id ?? post.id,
			notifiable_title: post.title,
			path: `/posts/${post.id}${comment ? `#comment-${comment.id}` : ''}`,
		}
	}
	const memberNotifications = (me: Membership) =>
		tables.notifications
			.filter((one) => one.membership_id === me.id)
			.sort(
				by(
					({ created_at }) => -created_at,
					({ id }) => -id,
				),
			)
			.flatMap((one) => {
				const subject = subjectOf(me, one)
				if (!subject) return []
				const { text, ...about } = subject
				const actor = author(me, one.actor_id)
				const described = describeNotification(
					one.kind as NotificationKind,
					actor?.name ?? null,
					about.notifiable_title,
				)
				return {
					id: one.id,
					kind: one.kind,
					created_at: iso(one.created_at),
					read_at: isoOrNull(one.read_at),
					actor,
					display_action: described.action,
					text: described.text,
					post_id: null,
					comment_id: null,
					event_id: null,
					excerpt: excerpt(text),
					reason: null,
					...about,
				}
			})

	const contentOf = (me: Membership, post: Post, comment: Comment | undefined) => ({
		content_type: comment ? 'Comment' : 'Post',
		content_id: comment?.id ?? post.id,
		post_id: post.id,
		excerpt: excerpt(comment?.body ?? post.body),
		author: author(me, (comment ?? post).author_id),
		space: spaceRef(post.space_id),
	})

	return {
		tables,
		sees,
		seesPost,
		seesComment,
		seesThread,
		readsPost: views.readsPost,
		readsComment: views.readsComment,
		seesEvent,
		memberSpaces: (me: Membership, member = me) =>
			tables.spaces
				.filter((one) => sees(me, one) && sees(member, one))
				.sort(
					by(
						({ position }) => position,
						({ id }) => id,
					),
				)
				.map((one) => viewSpace(me, one)),
		viewSpace,
		viewPost,
		viewComment,
		viewEvent,
		feed: (me: Membership, inSpace?: Space) =>
			tables.posts
				.filter((one) => seesPost(me, one) && (!inSpace || one.space_id === inSpace.id))
				.sort(newestFirst)
				.map((one) => viewPost(me, one)),
		searchPosts: (me: Membership, query: string) =>
			search(
				tables.posts.filter((one) => seesPost(me, one)),
				({ title, body }) => `${title ?? ''} ${body}`,
				query,
			)
				.sort(newestFirst)
				.map((one) => viewPost(me, one)),
		memberPosts: (me: Membership, member: Membership) =>
			tables.posts
				.filter((one) => seesPost(me, one) && one.author_id === member.user_id)
				.sort(by(({ id }) => -id))
				.map((one) => viewPost(me, one)),
		memberComments: (me: Membership, member: Membership) =>
			tables.post_comments
				.filter((one) => seesComment(me, one) && one.author_id === member.user_id)
				.sort(by(({ id }) => -id))
				.map((one) => viewComment(me, one)),
		spaceTopics: ({ id: space_id }: Space) =>
			tables.tags
				.map(({ id, name, slug }) => {
					const shown = tables.posts.filter((one) => one.space_id === space_id && one.deleted_at === null)
					const tagged = shown.filter((one) => topicIds(one).includes(id))
					return { id, name, slug, posts_count: tagged.length, space_id }
				})
				.filter(({ posts_count }) => posts_count > 0)
				.sort(
					by(
						({ posts_count }) => -posts_count,
						({ id }) => id,
					),
				),
		commentsOn: (me: Membership, post: Post) =>
			tables.post_comments
				.filter((one) => one.post_id === post.id && one.parent_id === null && seesThread(me, one))
				.sort(
					by(
						({ created_at }) => created_at,
						({ id }) => id,
					),
				)
				.map((one) => viewComment(me, one)),
		repliesTo: (me: Membership, comment: Comment) =>
			repliesTo(me, comment).map((one) => viewComment(me, one)),
		reactionsTo: (key: 'post_id' | 'comment_id', target: number) =>
			tables.post_reactions
				.filter((one) => one[key] === target)
				.sort((a, b) => octets(a.emoji).localeCompare(octets(b.emoji)) || a.id - b.id)
				.map(({ id, emoji, created_at, membership_id }) => {
					const member = find(tables.memberships, membership_id)
					const memberFields = { name: personName(member), avatar_url: member?.avatar_url ?? null }
					return {
						id,
						reaction: emoji,
						created_at: iso(created_at),
						community_member_id: membership_id,
						...memberFields,
					}
				}),
		postFollowers: (me: Membership, post: Post) =>
			tables.post_followers
				.filter(
					(one) =>
						one.post_id === post.id &&
						one.unfollowed_at === null &&
						user(one.user_id) &&
						membership(me, one.user_id),
				)
				.sort(by(({ id }) => id))
				.map(({ id, post_id, user_id }) => {
					const member = membership(me, user_id)
					const memberFields = { name: personName(member), avatar_url: member?.avatar_url ?? null }
					return { id, post_id, community_member_id: user_id, membership_id: member?.id, ...memberFields }
				}),
		bookmarks: (me: Membership) =>
			bookmarksOf(me).map(({ id, created_at, post }) => ({
				id,
				record_id: post.id,
				bookmarkable_type: 'Post',
				created_at: iso(created_at),
				bookmark_record: {
					id: post.id,
					name: excerpt(post.body),
					slug: String(post.id),
					url: `/posts/${post.id}`,
					space: spaceRef(post.space_id),
				},
			})),
		spaceBookmarks: (me: Membership, inSpace: Space) =>
			bookmarksOf(me, inSpace).map(({ id, post }) => {
				const link = { name: excerpt(post.body), display_type: 'post' }
				const links = [
					{ id: post.id, ...link, url: `/posts/${post.id}`, emoji: null, custom_emoji_url: null },
				]
				return { id, ...link, links }
			}),
		calendar: (me: Membership) =>
			tables.events
				.filter((one) => one.space_id !== null && seesEvent(me, one))
				.sort(
					by(
						({ starts_at }) => starts_at,
						({ id }) => id,
					),
				)
				.map((one) => viewEvent(me, one)),
		/** Returns the event ids of the calendar feed. */
		calendarFeed: (me: Membership) =>
			tables.events
				.filter((one) => one.space_id !== null && seesEvent(me, one) && one.starts_at >= now - 90 * DAY)
				.sort(
					by(
						({ starts_at }) => starts_at,
						({ id }) => id,
					),
				)
				.map(({ id }) => id),
		eventAttendees: (event: Event) =>
			tables.event_rsvps
				.filter((one) => one.event_id === event.id)
				.sort(by(({ id }) => id))
				.map(({ id, membership_id, created_at, status }) => {
					const member = find(tables.memberships, membership_id)
					return {
						id,
						community_member_id: membership_id,
						avatar_url: member?.avatar_url ?? null,
						rsvp_date: iso(created_at),
						rsvp_status: status,
						name: personName(member),
					}
				}),
		memberNotifications,
		members: (me: Membership) =>
			tables.memberships
				.filter((one) => one.community_id === me.community_id && one.status === 'active')
				.sort(
					by(
						({ created_at }) => created_at,
						({ id }) => id,
					),
				)
				.map(memberCard),
		searchMembers: (me: Membership, query: string) =>
			search(
				tables.memberships.filter((one) => one.community_id === me.community_id && one.status === 'active'),
				(one) => `${personName(one)} ${one.headline ?? ''} ${one.bio ?? ''}`,
				query,
			)
				.map(memberCard)
				.sort((a, b) => octets(a.name ?? '').localeCompare(octets(b.name ?? '')) || a.id - b.id),
		profile: (member: Membership) => {
			const posts = tables.posts.filter(
				(one) =>
					one.author_id === member.user_id &&
					one.community_id === member.community_id &&
					one.deleted_at === null,
			)
			const followers = tables.post_followers.filter(
				(one) =>
					one.unfollowed_at === null &&
					one.user_id !== member.user_id &&
					posts.some(({ id }) => id === one.post_id),
			)
			return {
				...memberCard(member),
				comments_count: tables.post_comments.filter(
					(one) =>
						one.author_id === member.user_id &&
						one.community_id === member.community_id &&
						one.deleted_at === null &&
						find(tables.posts, one.post_id)?.deleted_at === null,
				).length,
				followers_count: new Set(followers.map(({ user_id }) => user_id)).size,
				profile_fields: memberProfileFields(member),
			}
		},
		flags: (me: Membership, status: 'open' | 'all') =>
			tables.flags
				.filter((one) => one.community_id === me.community_id)
				.sort(
					by(
						({ created_at }) => -created_at,
						({ id }) => -id,
					),
				)
				.flatMap((flag) => {
					const comment = find(tables.post_comments, flag.comment_id)
					const post = find(tables.posts, flag.post_id ?? comment?.post_id ?? null)
					if (!post || !sees(me, space(post.space_id))) return []
					const isGone = post.deleted_at !== null || (comment?.deleted_at ?? null) !== null
					if (status === 'open' && (isGone || flag.dismissed_at !== null)) return []
					const isHidden = post.hidden_at !== null || (comment?.hidden_at ?? null) !== null
					const reporter = find(tables.memberships, flag.membership_id)
					return {
						...contentOf(me, post, comment),
						id: flag.id,
						reason: flag.reason,
						created_at: iso(flag.created_at),
						dismissed_at: isoOrNull(flag.dismissed_at),
						state: !isGone ? 'shown' : isHidden ? 'hidden' : 'removed',
						reporter: author(me, reporter?.user_id ?? null),
					}
				}),
		hidden: (me: Membership) =>
			[
				...tables.posts
					.filter((one) => one.hidden_at !== null && one.body !== '' && sees(me, space(one.space_id)))
					.map((post) => ({ post, comment: undefined, at: post.hidden_at as number })),
				...tables.post_comments.flatMap((comment) => {
					const post = find(tables.posts, comment.post_id)
					const parent = find(tables.post_comments, comment.parent_id)
					const isParentHidden = parent !== undefined && parent.hidden_at !== null && parent.body !== ''
					const isShown =
						comment.hidden_at !== null && comment.body !== '' && seesPost(me, post) && !isParentHidden
					return isShown ? { post: post as Post, comment, at: comment.hidden_at as number } : []
				}),
			]
				.sort(
					by(
						({ at }) => -at,
						({ post }) => -post.id,
						({ comment }) => -(comment?.id ?? 0),
					),
				)
				.map(({ post, comment, at }) => ({
					...contentOf(me, post, comment),
					hidden_at: iso(at),
					hidden_reason: (comment ?? post).hidden_reason,
				})),
	}
}
