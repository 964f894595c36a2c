import { expect } from 'vitest'
import {
	type Comment,
	type Event,
	type Membership,
	type Post,
	type Space,
	type Tables,
	topicIds,
} from './tables.ts'

/** Compares two rows by the first key in which they differ. */
export const by =
	<R>(...keys: ((row: R) => number)[]) =>
	(a: R, b: R): number =>
		keys.map((key) => key(a) - key(b)).find((difference) => difference !== 0) ?? 0
export const iso = (at: number) => new Date(at).toISOString()
export const find = <R extends { id: number }>(rows: R[], id: number | null): R | undefined =>
	rows.find((row) => row.id === id)

const segmenter = new Intl.Segmenter()
const excerpts = new Map<string, string>()
/** Remembers excerpts, since the same posts are expected in many responses. */
function excerptOf(body: string): string {
	const segments = () => [...segmenter.segment(body)].slice(0, 280).map(({ segment }) => segment)
	const excerpt = excerpts.get(body) ?? segments().join('')
	excerpts.set(body, excerpt)
	return excerpt
}

/** Returns the visibility rules and the expected view of each kind of content. */
export function buildViews(tables: Tables, now: number) {
	const user = (id: number | null) => find(tables.users, id)

	/** Checks whether a member sees a space: owners and admins see all, others see public spaces and those of their groups. */
	function sees(me: Membership, space: Space | undefined): boolean {
		if (!space || me.status !== 'active' || space.community_id !== me.community_id) return false
		if (me.role === 'owner' || me.role === 'admin' || space.visibility === 'public') return true
		return tables.access_groups.some(
			(group) =>
				group.status === 'active' &&
				tables.access_group_spaces.some(
					(one) => one.access_group_id === group.id && one.space_id === space.id,
				) &&
				tables.access_group_members.some(
					(one) =>
						one.access_group_id === group.id &&
						one.membership_id === me.id &&
						(one.expires_at === null || one.expires_at > now),
				),
		)
	}
	const space = (id: number | null) => find(tables.spaces, id)
	const seesPost = (me: Membership, post: Post | undefined): post is Post =>
		post !== undefined && post.deleted_at === null && sees(me, space(post.space_id))
	const seesComment = (me: Membership, comment: Comment | undefined): comment is Comment =>
		comment !== undefined && comment.deleted_at === null && seesPost(me, find(tables.posts, comment.post_id))
	const hasReplies = ({ id }: Comment): boolean =>
		tables.post_comments.some((one) => one.parent_id === id && one.deleted_at === null)
	const mayReadHidden = (me: Membership, row: Post | Comment): boolean =>
		row.hidden_at !== null && row.body !== '' && (me.role !== 'member' || row.author_id === me.user_id)
	/** Checks whether a member sees a post, or may read it although it is hidden. */
	const readsPost = (me: Membership, post: Post | undefined): boolean =>
		seesPost(me, post) ||
		(post !== undefined && mayReadHidden(me, post as Post) && sees(me, space((post as Post).space_id)))
	const readsText = (me: Membership, comment: Comment): boolean =>
		comment.deleted_at === null || mayReadHidden(me, comment)
	/** Checks whether a member may read a comment or the placeholder of a removed one. */
	const seesThread = (me: Membership, comment: Comment): boolean =>
		(comment.deleted_at === null || hasReplies(comment)) && readsPost(me, find(tables.posts, comment.post_id))
	/** Checks whether a member sees a comment in any form, or may read it although it is hidden. */
	const readsComment = (me: Membership, comment: Comment): boolean =>
		seesThread(me, comment) ||
		(mayReadHidden(me, comment) && readsPost(me, find(tables.posts, comment.post_id)))
	/** Checks whether a member sees an event. An event without a space is visible to all members, but in no list. */
	const seesEvent = (me: Membership, event: Event): boolean =>
		event.space_id === null
			? event.community_id === me.community_id && me.status === 'active'
			: sees(me, space(event.space_id))

	const membership = (me: Membership, userId: number) =>
		tables.memberships.find((one) => one.community_id === me.community_id && one.user_id === userId)
	const personName = (member: Membership | undefined) => member?.name ?? user(member?.user_id ?? null)?.name
	const author = (me: Membership, id: number | null) => {
		const person = user(id)
		if (!person) return null
		const member = membership(me, person.id)
		return {
			id: person.id,
			community_member_id: member?.id ?? null,
			name: member?.name ?? person.name,
			avatar_url: member?.avatar_url ?? null,
			role: member?.status === 'active' ? member.role : null,
			headline: member?.status === 'active' ? member.headline : null,
		}
	}
	const spaceRef = (id: number | null) => {
		const found = space(id)
		return found ? { id: found.id, name: found.name, slug: found.slug } : null
	}
	/** Checks whether a policy of a space lets a member write there. */
	const isOpenTo = (me: Membership, policy: string | undefined): boolean => {
		if (policy === 'nobody' || policy === undefined) return false
		if (me.role === 'owner' || me.role === 'admin') return true
		return policy === 'everyone' || (policy === 'moderators' && me.role === 'moderator')
	}
	const acceptsComments = (me: Membership, post: Post | undefined): boolean =>
		isOpenTo(me, space(post?.space_id ?? null)?.comment_policy)
	/** Counts the posts of others, among the newest 20 posts, since the member marked the space as read. */
	const unreadIn = (me: Membership, one: Space): number => {
		const seenAt = JSON.parse(me.spaces_seen)[one.id] ?? me.created_at
		return tables.posts
			.filter((post) => post.space_id === one.id && post.deleted_at === null && post.created_at > seenAt)
			.sort(by(({ created_at }) => -created_at))
			.slice(0, 20)
			.filter((post) => post.author_id !== me.user_id).length
	}
	const viewSpace = (me: Membership, one: Space) => ({
		id: one.id,
		name: one.name,
		slug: one.slug,
		space_type: one.space_type,
		space_group_id: one.space_group_id,
		emoji: one.emoji,
		description: one.description,
		visibility: one.visibility,
		unread_posts_count: unreadIn(me, one),
		posts_count: tables.posts.filter((post) => post.space_id === one.id && post.deleted_at === null).length,
		policies: {
			can_create_post: isOpenTo(me, one.post_policy),
			can_create_event: isOpenTo(me, one.post_policy) && me.role !== 'member',
			can_create_comment: isOpenTo(me, one.comment_policy),
		},
	})
	const hiddenOf = ({ hidden_at, hidden_reason }: Post | Comment) => ({
		hidden_at: hidden_at === null ? null : iso(hidden_at),
		hidden_reason,
	})
	const myReaction = (me: Membership, key: 'post_id' | 'comment_id' | 'image_id', id: number) =>
		tables.post_reactions.find((one) => one.membership_id === me.id && one[key] === id)?.emoji ?? null
	const likes = (me: Membership, key: 'post_id' | 'comment_id', id: number) => {
		const found = tables.post_reactions.filter((one) => one[key] === id && one.emoji === 'like')
		return {
			is_liked: found.some((one) => one.membership_id === me.id),
			user_likes_count: found.length,
		}
	}
	const postComments = (post: Post) =>
		tables.post_comments.filter((one) => one.post_id === post.id && one.deleted_at === null)

	const reactionCounts = (key: 'post_id' | 'comment_id' | 'image_id', id: number) => {
		const found = tables.post_reactions.filter((one) => one[key] === id)
		return Object.fromEntries(
			found.map(({ emoji }) => [emoji, found.filter((other) => other.emoji === emoji).length]),
		)
	}

	const imagesOf = (me: Membership, post: Post) => {
		const images = tables.images
			.filter((image) => image.post_id === post.id)
			.sort(by(({ id }) => id))
			.map(({ id, content_type, width, height, alt }) => ({
				id,
				url: expect.stringMatching(new RegExp(`^https?://.*/images/${id}/file\\?token=`)),
				content_type,
				width,
				height,
				alt,
				reactions: reactionCounts('image_id', id),
				my_reaction: myReaction(me, 'image_id', id),
			}))
		return { images, cover_image: images[0]?.url ?? null }
	}
	const postPolicies = (me: Membership, post: Post) => {
		const isVisible = seesPost(me, post)
		const isAuthor = post.author_id === me.user_id
		return {
			can_edit: isVisible && isAuthor,
			can_delete: isVisible && (isAuthor || me.role !== 'member'),
			can_comment: isVisible && acceptsComments(me, post),
			can_react: isVisible,
			can_report: isVisible,
			can_hide: isVisible && me.role !== 'member',
		}
	}

	const viewPost = (me: Membership, post: Post) => ({
		id: post.id,
		name: post.title,
		body: post.body,
		excerpt: excerptOf(post.body),
		is_truncated: excerptOf(post.body) !== post.body,
		slug: String(post.id),
		url: `/posts/${post.id}`,
		created_at: iso(post.created_at),
		updated_at: iso(post.updated_at),
		space: spaceRef(post.space_id),
		author: author(me, post.author_id),
		topics: tables.tags
			.filter((tag) => topicIds(post).includes(tag.id))
			.sort(by(({ id }) => id))
			.map(({ id, name, slug }) => ({ id, name, slug })),
		...imagesOf(me, post),
		comments_count: postComments(post).length,
		reactions: reactionCounts('post_id', post.id),
		my_reaction: myReaction(me, 'post_id', post.id),
		...likes(me, 'post_id', post.id),
		is_bookmarked: tables.bookmarks.some((one) => one.user_id === me.user_id && one.post_id === post.id),
		is_following: tables.post_followers.some(
			(one) => one.user_id === me.user_id && one.post_id === post.id && one.unfollowed_at === null,
		),
		policies: postPolicies(me, post),
		...hiddenOf(post),
	})

	const commentPolicies = (me: Membership, comment: Comment) => {
		const isVisible = seesComment(me, comment)
		const isAuthor = comment.author_id === me.user_id
		const isShown = comment.deleted_at === null || hasReplies(comment)
		const post = find(tables.posts, comment.post_id)
		return {
			can_edit: isVisible && isAuthor,
			can_delete: isVisible && (isAuthor || me.role !== 'member'),
			can_reply: isShown && seesPost(me, post) && comment.parent_id === null && acceptsComments(me, post),
			can_react: isVisible,
			can_report: isVisible,
			can_hide: isVisible && me.role !== 'member',
		}
	}
	/** Lists the replies that a member may read, oldest first. */
	const repliesTo = (me: Membership, comment: Comment) =>
		tables.post_comments
			.filter((one) => one.parent_id === comment.id)
			.filter((one) => {
				const isWithParent = mayReadHidden(me, comment) && one.hidden_at === comment.hidden_at
				return one.deleted_at === null || (isWithParent && mayReadHidden(me, one))
			})
			.sort(
				by(
					({ created_at }) => created_at,
					({ id }) => id,
				),
			)

	const viewReply = (me: Membership, comment: Comment) => ({
		id: comment.id,
		post_id: comment.post_id,
		parent_comment_id: comment.parent_id,
		body: readsText(me, comment) ? comment.body : '',
		created_at: iso(comment.created_at),
		updated_at: iso(comment.updated_at),
		author: readsText(me, comment) ? author(me, comment.author_id) : null,
		removed_at: readsText(me, comment) ? null : iso(comment.deleted_at as number),
		replies_count: tables.post_comments.filter(
			(one) => one.parent_id === comment.id && one.deleted_at === null,
		).length,
		reactions: readsText(me, comment) ? reactionCounts('comment_id', comment.id) : {},
		my_reaction: readsText(me, comment) ? myReaction(me, 'comment_id', comment.id) : null,
		...(readsText(me, comment)
			? likes(me, 'comment_id', comment.id)
			: { is_liked: false, user_likes_count: 0 }),
		policies: commentPolicies(me, comment),
		...(readsText(me, comment) ? hiddenOf(comment) : { hidden_at: null, hidden_reason: null }),
	})
	const viewComment = (me: Membership, comment: Comment) => ({
		...viewReply(me, comment),
		replies: repliesTo(me, comment)
			.slice(0, 3)
			.map((one) => viewReply(me, one)),
	})

	const viewEvent = (me: Membership, event: Event) => ({
		id: event.id,
		display_title: event.title,
		slug: String(event.id),
		body_plain_text: event.description,
		url: `/events/${event.id}`,
		created_at: iso(event.created_at),
		event_type: event.virtual_url === null ? 'in_person' : 'virtual',
		rsvp_count: tables.event_rsvps.filter((one) => one.event_id === event.id && one.status === 'going')
			.length,
		capacity: event.capacity,
		waitlist_enabled: event.waitlist_enabled === 1,
		waitlisted_count: tables.event_rsvps.filter(
			(one) => one.event_id === event.id && one.status === 'waitlisted',
		).length,
		rsvped_event:
			tables.event_rsvps.find((one) => one.event_id === event.id && one.membership_id === me.id)?.status ??
			null,
		event_setting_attributes: {
			starts_at: iso(event.starts_at),
			ends_at: iso(event.ends_at),
			in_person_location: event.in_person_location,
			virtual_location_url: event.virtual_url,
			rsvp_limit: null,
		},
		space: spaceRef(event.space_id),
		author: author(me, event.host_id),
	})

	const memberCard = (member: Membership) => ({
		id: member.id,
		community_member_id: member.id,
		user_id: member.user_id,
		name: personName(member),
		avatar_url: member.avatar_url,
		headline: member.headline,
		bio: member.bio,
		role: member.role,
		created_at: iso(member.created_at),
	})

	/** Returns the profile fields with their values. All fields have type text here, so other values are invalid. */
	const memberProfileFields = (member: Membership) =>
		tables.profile_fields
			.filter((one) => one.community_id === member.community_id)
			.sort(
				by(
					({ position }) => position,
					({ id }) => id,
				),
			)
			.map(({ id, key, label, field_type }) => {
				const value = (JSON.parse(member.profile) as Record<string, unknown>)[id]
				return { id, key, label, field_type, value: typeof value === 'string' ? value : null }
			})

	return {
		user,
		space,
		sees,
		seesPost,
		seesComment,
		seesThread,
		readsPost,
		readsComment,
		mayReadHidden,
		seesEvent,
		membership,
		personName,
		author,
		spaceRef,
		postComments,
		viewSpace,
		viewPost,
		viewComment,
		repliesTo,
		viewEvent,
		memberCard,
		memberProfileFields,
	}
}
