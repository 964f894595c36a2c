import { DAY } from '../../../edge/platform/clock.ts'
import type { World } from '../world.ts'

/** Rows as they lie in the tables: what is a number, what is text, and what of both may be missing. */
type Row<
	N extends string,
	T extends string = never,
	ON extends string = never,
	OT extends string = never,
> = Record<N, number> & Record<T, string> & Record<ON, number | null> & Record<OT, string | null>

type Tables = {
	users: Row<'id', 'name' | 'email'>[]
	communities: Row<'id', 'name' | 'slug'>[]
	memberships: Membership[]
	spaces: Space[]
	access_groups: Row<'id', 'status'>[]
	access_group_members: Row<'access_group_id' | 'membership_id', never, 'expires_at'>[]
	access_group_spaces: Row<'access_group_id' | 'space_id'>[]
	posts: Post[]
	post_comments: Comment[]
	images: Row<'id' | 'post_id', 'content_type'>[]
	tags: Row<'id', 'name' | 'slug'>[]
	space_topics: Row<'space_id' | 'tag_id' | 'posts_count'>[]
	post_reactions: Reaction[]
	bookmarks: Row<'id' | 'user_id' | 'community_id' | 'post_id' | 'created_at'>[]
	post_followers: Row<'id' | 'user_id' | 'post_id'>[]
	events: Event[]
	event_rsvps: Row<'id' | 'event_id' | 'membership_id' | 'created_at', 'status'>[]
	notifications: Notification[]
	flags: Flag[]
	profile_fields: Row<'id' | 'community_id' | 'position', 'key' | 'label' | 'field_type'>[]
}
export type Membership = Row<
	'id' | 'community_id' | 'user_id' | 'created_at',
	'role' | 'status' | 'profile',
	never,
	'avatar_url' | 'headline' | 'bio'
>
export type Space = Row<
	'id' | 'community_id' | 'position',
	'name' | 'slug' | 'space_type' | 'visibility',
	'space_group_id'
>
export type Post = Row<
	'id' | 'community_id' | 'space_id' | 'comments_count' | 'created_at' | 'updated_at',
	'body' | 'topics',
	'author_id' | 'deleted_at' | 'hidden_at',
	'title'
>
export const topicIds = ({ topics }: Post): number[] => JSON.parse(topics)
export type Comment = Row<
	'id' | 'community_id' | 'post_id' | 'replies_count' | 'created_at' | 'updated_at',
	'body',
	'parent_id' | 'author_id' | 'deleted_at' | 'hidden_at'
>
type Reaction = Row<'id' | 'membership_id' | 'created_at', 'emoji', 'post_id' | 'comment_id' | 'image_id'>
export type Event = Row<
	'id' | 'community_id' | 'starts_at' | 'ends_at' | 'created_at' | 'waitlist_enabled' | 'going_count',
	'title' | 'description',
	'space_id' | 'host_id' | 'capacity',
	'in_person_location' | 'virtual_url'
>
type Notification = Row<'id' | 'membership_id' | 'subject_id' | 'created_at', 'kind', 'actor_id' | 'read_at'>
type Flag = Row<
	'id' | 'community_id' | 'membership_id' | 'created_at',
	'reason',
	'post_id' | 'comment_id' | 'dismissed_at'
>

/** By the first of these keys in which two rows differ. */
const by =
	<R>(...keys: ((row: R) => number)[]) =>
	(a: R, b: R): number =>
		keys.map((key) => key(a) - key(b)).find((difference) => difference !== 0) ?? 0
const iso = (at: number) => new Date(at).toISOString()
const isoOrNull = (at: number | null) => (at === null ? null : iso(at))
const excerpt = (text: string) => [...text].slice(0, 100).join('')
const octets = (text: string) =>
	[...new TextEncoder().encode(text)].map((octet) => octet.toString(16).padStart(2, '0')).join('')

export type Oracle = ReturnType<typeof oracleOf>
export const readTables = async (world: World) => (await world.dump()) as unknown as Tables

/**
 * What each member must be told, from the rows alone and as plainly as it can be said: no index, no join, no
 * condition that the product has. Every list is filtered by `sees`, and every count is counted.
 */
export function oracleOf(tables: Tables, now: number) {
	const find = <R extends { id: number }>(rows: R[], id: number | null) => rows.find((row) => row.id === id)
	const user = (id: number | null) => find(tables.users, id)

	/** The rules: one's own community, and there everything for owners and admins, what is public, what groups open. */
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
	/** An event outside of all spaces is everyone's, but no list has it. */
	const seesEvent = (me: Membership, event: Event): boolean =>
		event.space_id === null
			? event.community_id === me.community_id && me.status === 'active'
			: sees(me, space(event.space_id))

	const avatar = (me: Membership, userId: number) =>
		tables.memberships.find((one) => one.community_id === me.community_id && one.user_id === userId)
			?.avatar_url ?? null
	const author = (me: Membership, id: number | null) => {
		const person = user(id)
		return person ? { id: person.id, name: person.name, avatar_url: avatar(me, person.id) } : null
	}
	const spaceRef = (id: number | null) => {
		const found = space(id)
		return found ? { id: found.id, name: found.name, slug: found.slug } : null
	}
	const viewSpace = ({ id, name, slug, space_type, space_group_id }: Space) => ({
		id,
		name,
		slug,
		space_type,
		space_group_id,
	})
	const myReaction = (me: Membership, key: 'post_id' | 'comment_id', id: number) =>
		tables.post_reactions.find((one) => one.membership_id === me.id && one[key] === id)?.emoji ?? null
	const postComments = (post: Post) =>
		tables.post_comments.filter((one) => one.post_id === post.id && one.deleted_at === null)

	const viewPost = (me: Membership, post: Post) => ({
		id: post.id,
		name: post.title,
		body: post.body,
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
		images: tables.images
			.filter((image) => image.post_id === post.id)
			.sort(by(({ id }) => id))
			.map(({ id, content_type }) => ({ id, url: `/api/headless/v1/images/${id}`, content_type })),
		comments_count: postComments(post).length,
		reactions: Object.fromEntries(
			tables.post_reactions
				.filter((one) => one.post_id === post.id)
				.map(({ emoji }, _, all) => [emoji, all.filter((other) => other.emoji === emoji).length]),
		),
		my_reaction: myReaction(me, 'post_id', post.id),
		is_bookmarked: tables.bookmarks.some((one) => one.user_id === me.user_id && one.post_id === post.id),
		is_following: tables.post_followers.some((one) => one.user_id === me.user_id && one.post_id === post.id),
	})

	const viewComment = (me: Membership, comment: Comment) => ({
		id: comment.id,
		post_id: comment.post_id,
		parent_comment_id: comment.parent_id,
		body: comment.body,
		created_at: iso(comment.created_at),
		updated_at: iso(comment.updated_at),
		author: author(me, comment.author_id),
		replies_count: tables.post_comments.filter(
			(one) => one.parent_id === comment.id && one.deleted_at === null,
		).length,
		my_reaction: myReaction(me, 'comment_id', comment.id),
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

	const cardOf = (member: Membership) => ({
		id: member.id,
		user_id: member.user_id,
		name: user(member.user_id)?.name,
		avatar_url: member.avatar_url,
		headline: member.headline,
		bio: member.bio,
		role: member.role,
		created_at: iso(member.created_at),
	})

	/** Fields here are of the type text, so what is no text does not fit. */
	const fieldsOf = (member: Membership) =>
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

	const newestFirst = by<Post>(
		({ created_at }) => -created_at,
		({ id }) => -id,
	)
	/** What has all words as beginnings; where nothing has, what holds the text as it stands. */
	function searched<R>(rows: R[], textOf: (row: R) => string, query: string): R[] {
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

	const ofPosts = ['post_comment', 'comment_reply', 'followed_post_comment', 'comment_reaction']
	/** What it is about, if that may be seen. */
	function subjectOf(me: Membership, { kind, subject_id }: Notification) {
		if (kind === 'event_changed' || kind === 'event_place') {
			const event = find(tables.events, subject_id)
			if (!event || !seesEvent(me, event)) return null
			return {
				space: spaceRef(event.space_id),
				event_id: event.id,
				text: event.title,
				url: `/events/${event.id}`,
			}
		}
		const comment = ofPosts.includes(kind) ? find(tables.post_comments, subject_id) : undefined
		if (ofPosts.includes(kind) && !seesComment(me, comment)) return null
		const post = find(tables.posts, comment?.post_id ?? subject_id)
		if (!seesPost(me, post)) return null
		const ids = { post_id: post.id, comment_id: comment?.id ?? null }
		return {
			...ids,
			space: spaceRef(post.space_id),
			text: comment?.body ?? post.body,
			url: `/posts/${post.id}`,
		}
	}
	const notificationsOf = (me: Membership) =>
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
				return {
					id: one.id,
					kind: one.kind,
					created_at: iso(one.created_at),
					read_at: isoOrNull(one.read_at),
					actor: author(me, one.actor_id),
					post_id: null,
					comment_id: null,
					event_id: null,
					excerpt: excerpt(text),
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
		seesEvent,
		spacesOf: (me: Membership, member = me) =>
			tables.spaces
				.filter((one) => sees(me, one) && sees(member, one))
				.sort(
					by(
						({ position }) => position,
						({ id }) => id,
					),
				)
				.map(viewSpace),
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
			searched(
				tables.posts.filter((one) => seesPost(me, one)),
				({ title, body }) => `${title ?? ''} ${body}`,
				query,
			)
				.sort(newestFirst)
				.map((one) => viewPost(me, one)),
		postsOf: (me: Membership, member: Membership) =>
			tables.posts
				.filter((one) => seesPost(me, one) && one.author_id === member.user_id)
				.sort(by(({ id }) => -id))
				.map((one) => viewPost(me, one)),
		commentsOf: (me: Membership, member: Membership) =>
			tables.post_comments
				.filter((one) => seesComment(me, one) && one.author_id === member.user_id)
				.sort(by(({ id }) => -id))
				.map((one) => viewComment(me, one)),
		topicsOf: ({ id: space_id }: Space) =>
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
			postComments(post)
				.filter((one) => one.parent_id === null)
				.sort(
					by(
						({ created_at }) => created_at,
						({ id }) => id,
					),
				)
				.map((one) => viewComment(me, one)),
		repliesTo: (me: Membership, comment: Comment) =>
			tables.post_comments
				.filter((one) => one.parent_id === comment.id && one.deleted_at === null)
				.sort(
					by(
						({ created_at }) => created_at,
						({ id }) => id,
					),
				)
				.map((one) => viewComment(me, one)),
		reactionsTo: (key: 'post_id' | 'comment_id', target: number) =>
			tables.post_reactions
				.filter((one) => one[key] === target)
				.sort((a, b) => octets(a.emoji).localeCompare(octets(b.emoji)) || a.id - b.id)
				.map(({ id, emoji, created_at, membership_id }) => {
					const member = find(tables.memberships, membership_id)
					const whose = { name: user(member?.user_id ?? null)?.name, avatar_url: member?.avatar_url ?? null }
					return {
						id,
						reaction: emoji,
						created_at: iso(created_at),
						community_member_id: membership_id,
						...whose,
					}
				}),
		followersOf: (me: Membership, post: Post) =>
			tables.post_followers
				.filter((one) => one.post_id === post.id && user(one.user_id))
				.sort(by(({ id }) => id))
				.map(({ id, post_id, user_id }) => ({
					id,
					post_id,
					community_member_id: user_id,
					name: user(user_id)?.name,
					avatar_url: avatar(me, user_id),
				})),
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
		/** Ids of what a calendar program is given. */
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
		attendeesOf: (event: Event) =>
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
						name: user(member?.user_id ?? null)?.name,
					}
				}),
		notificationsOf,
		members: (me: Membership) =>
			tables.memberships
				.filter((one) => one.community_id === me.community_id && one.status === 'active')
				.sort(
					by(
						({ created_at }) => created_at,
						({ id }) => id,
					),
				)
				.map(cardOf),
		searchMembers: (me: Membership, query: string) =>
			searched(
				tables.memberships.filter((one) => one.community_id === me.community_id && one.status === 'active'),
				(one) => `${user(one.user_id)?.name} ${one.headline ?? ''} ${one.bio ?? ''}`,
				query,
			)
				.map(cardOf)
				.sort((a, b) => octets(a.name ?? '').localeCompare(octets(b.name ?? '')) || a.id - b.id),
		profile: (member: Membership) => {
			const theirs = tables.posts.filter(
				(one) =>
					one.author_id === member.user_id &&
					one.community_id === member.community_id &&
					one.deleted_at === null,
			)
			const followers = tables.post_followers.filter((one) => theirs.some(({ id }) => id === one.post_id))
			return {
				...cardOf(member),
				comments_count: tables.post_comments.filter(
					(one) =>
						one.author_id === member.user_id &&
						one.community_id === member.community_id &&
						one.deleted_at === null,
				).length,
				followers_count: new Set(followers.map(({ user_id }) => user_id)).size,
				profile_fields: fieldsOf(member),
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
					const isShown =
						comment.hidden_at !== null && comment.body !== '' && seesPost(me, post) && !parent?.deleted_at
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
				.map(({ post, comment, at }) => ({ ...contentOf(me, post, comment), hidden_at: iso(at) })),
	}
}
