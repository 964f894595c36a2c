import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import { posts, spaceTopics } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { recordEventIfChanged } from '../../platform/outbox.ts'
import { mergedSpaces } from '../access/merged-spaces.ts'
import { orgOf, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import { firstTellAt } from '../notifications/news.ts'
import { avatarOf, nameOf } from '../people.ts'
import { candidatesOf, pageOf, postIndex } from '../search/candidates.ts'

export type PostRow = {
	id: number
	title: string | null
	body: string
	createdAt: number
	updatedAt: number
	commentsCount: number
	spaceId: number
	spaceName: string
	spaceSlug: string
	authorId: number | null
	authorName: string | null
	authorAvatarUrl: string | null
	myReaction: string | null
	isBookmarked: number
	isFollowing: number
	/** JSON. */
	topics: string
	images: string
	reactions: string
}
export type PostChange = { title?: string | null; body?: string; topics?: number[] }
type NewPost = { title: string | null; body: string; topics: number[] }

/** For statements about something else that a post must be there for: `p` is the post, `s` its space. */
export const visiblePost = (viewer: Viewer, postId: number) =>
	sql`posts p join spaces s on s.id = p.space_id where p.id = ${postId} and p.deleted_at is null and ${visibleSpaces(viewer)}`

/** The tags of a post with their names, by their ids. One that was deleted is shown nowhere. */
const named = (topics: SQL) =>
	sql`(select json_group_array(json_object('id', t.id, 'name', t.name, 'slug', t.slug)) from json_each(${topics}) w cross join tags t on t.id = w.value)`

/** Ids of topics that are there, each once, in their order; as posts keep them. */
const known = ({ communityId }: Viewer, topics: readonly number[]) =>
	sql`(select t.id from tags t where t.community_id = ${communityId} and t.id in (select value from json_each(${JSON.stringify(topics)})) order by t.id)`
const kept = (ids: SQL) => sql`(select json_group_array(id) from ${ids})`

/** What stands around a post, whose name in the statement is given; the viewer's own part of it too. */
const around = (viewer: Viewer, post: SQL) => ({
	myReaction: sql`(select r.emoji from post_reactions r where r.membership_id = ${viewer.membershipId} and r.post_id = ${post}.id)`,
	isBookmarked: sql`exists (select 1 from bookmarks b where b.user_id = ${viewer.userId} and b.post_id = ${post}.id)`,
	isFollowing: sql`exists (select 1 from post_followers f where f.user_id = ${viewer.userId} and f.post_id = ${post}.id)`,
	topics: named(sql`${post}.topics`),
	images: sql`(select json_group_array(json_object('id', i.id, 'contentType', i.content_type)) from images i where i.post_id = ${post}.id)`,
	reactions: sql`(select json_group_object(n.emoji, n.count) from (select r.emoji, count(*) as count from post_reactions r
		where r.post_id = ${post}.id group by r.emoji) n)`,
})

const columns = (viewer: Viewer) => {
	const { myReaction, isBookmarked, isFollowing, topics, images, reactions } = around(viewer, sql`p`)
	return sql`
	p.id, p.title, p.body, p.created_at as createdAt, p.updated_at as updatedAt, p.comments_count as commentsCount,
	s.id as spaceId, s.name as spaceName, s.slug as spaceSlug, p.author_id as authorId,
	${nameOf(sql`p.author_id`)} as authorName, ${avatarOf(sql`p.author_id`, viewer.communityId)} as authorAvatarUrl,
	${myReaction} as myReaction, ${isBookmarked} as isBookmarked, ${isFollowing} as isFollowing, ${topics} as topics,
	${images} as images, ${reactions} as reactions`
}

/** The same of a row that is being written. */
const written = (viewer: Viewer) => ({
	id: posts.id,
	title: posts.title,
	body: posts.body,
	createdAt: posts.createdAt,
	updatedAt: posts.updatedAt,
	commentsCount: posts.commentsCount,
	spaceId: posts.spaceId,
	spaceName: sql<string>`(select s.name from spaces s where s.id = posts.space_id)`.as('space_name'),
	spaceSlug: sql<string>`(select s.slug from spaces s where s.id = posts.space_id)`.as('space_slug'),
	authorId: posts.authorId,
	authorName: sql<string>`${nameOf(sql`posts.author_id`)}`.as('author_name'),
	authorAvatarUrl: sql<string>`${avatarOf(sql`posts.author_id`, viewer.communityId)}`.as('author_avatar'),
})

const rewritten = (viewer: Viewer) => {
	const { myReaction, isBookmarked, isFollowing, topics, images, reactions } = around(viewer, sql`posts`)
	return {
		...written(viewer),
		myReaction: sql<string | null>`${myReaction}`.as('my_reaction'),
		isBookmarked: sql<number>`${isBookmarked}`.as('is_bookmarked'),
		isFollowing: sql<number>`${isFollowing}`.as('is_following'),
		topics: sql<string>`${topics}`.as('topics'),
		images: sql<string>`${images}`.as('images'),
		reactions: sql<string>`${reactions}`.as('reactions'),
	}
}

/** Along the posts in their order; what is not visible falls out. */
const shown = (viewer: Viewer, place: SQL) => sql`
	from posts p cross join spaces s on s.id = p.space_id
	where ${place} and p.deleted_at is null and ${visibleSpaces(viewer)}`

const newest = (viewer: Viewer, limit: number, offset: number) => {
	const line = { rows: 'posts', at: 'created_at', order: 'newest first' } as const
	return mergedSpaces(viewer, { ...line, where: sql`y.deleted_at is null` }, limit, offset)
}

const mayModerate = ({ role }: Viewer) => role !== 'member'

const ofPost = ({ communityId }: Viewer, postId: number) => ({
	orgId: orgOf(communityId),
	payload: { communityId, postId },
})

export const postStore = (db: Db) => ({
	async isVisible(viewer: Viewer, postId: number): Promise<boolean> {
		const rows = await db.all(sql`select p.id from ${visiblePost(viewer, postId)}`)
		return rows.length === 1
	},

	async listOfSpace(viewer: Viewer, spaceId: number, limit: number, offset: number): Promise<PostRow[]> {
		return db.all(
			sql`select ${columns(viewer)} ${shown(viewer, sql`p.space_id = ${spaceId}`)} order by p.created_at desc, p.id desc limit ${limit} offset ${offset}`,
		)
	},

	/** Of all spaces that the viewer sees. */
	async listNewest(viewer: Viewer, limit: number, offset: number): Promise<PostRow[]> {
		return db.all(
			sql`select ${columns(viewer)} ${shown(viewer, sql`p.id in (${newest(viewer, limit, offset)})`)} order by p.created_at desc, p.id desc`,
		)
	},

	/** By words, or by text where no word fits; the newest first. */
	async search(viewer: Viewer, query: string, limit: number, offset: number): Promise<PostRow[]> {
		const seen = (candidates: SQL) =>
			sql`select p.id, p.created_at from ${candidates} cross join posts p on p.id = candidates.id cross join spaces s on s.id = p.space_id where p.deleted_at is null and ${visibleSpaces(viewer)}`
		const found = candidatesOf(postIndex, viewer.communityId, query)
		const page = pageOf(found, seen, sql`2 desc, 1 desc`, limit, offset)
		return db.all(
			sql`select ${columns(viewer)} from (${page}) found cross join posts p on p.id = found.id cross join spaces s on s.id = p.space_id order by p.created_at desc, p.id desc`,
		)
	},

	/** Of one author; the newest first. */
	async listOf(viewer: Viewer, authorId: number, limit: number, offset: number): Promise<PostRow[]> {
		const place = sql`p.author_id = ${authorId} and p.community_id = ${viewer.communityId}`
		return db.all(
			sql`select ${columns(viewer)} ${shown(viewer, place)} order by p.id desc limit ${limit} offset ${offset}`,
		)
	},

	async find(viewer: Viewer, postId: number): Promise<PostRow | undefined> {
		const [row] = await db.all<PostRow>(sql`select ${columns(viewer)} from ${visiblePost(viewer, postId)}`)
		return row
	},

	/** With its topics, counted in the space. Nothing when the space is not visible or a topic is not there. */
	async insert(viewer: Viewer, spaceId: number, post: NewPost): Promise<PostRow | undefined> {
		const { communityId, userId, now } = viewer
		const topics = known(viewer, post.topics)
		const [made] = await db.batch([
			db
				.insert(posts)
				.select(
					sql`select null, ${communityId}, s.id, ${userId}, ${post.title}, ${post.body}, 0, ${now}, ${now}, null, null, ${firstTellAt(now)}, ${kept(topics)} from spaces s where s.id = ${spaceId} and ${visibleSpaces(viewer)} and (select count(*) from ${topics}) = ${post.topics.length}`,
				)
				.returning({ ...written(viewer), topics: sql<string>`${named(sql`posts.topics`)}`.as('topics') }),
			db
				.insert(spaceTopics)
				.select(sql`select ${spaceId}, id, 1 from ${topics} where changes() > 0`)
				.onConflictDoUpdate({
					target: [spaceTopics.spaceId, spaceTopics.tagId],
					set: { postsCount: sql`space_topics.posts_count + 1` },
				}),
		])
		const [row] = made
		return row && { ...row, myReaction: null, isBookmarked: 0, isFollowing: 0, images: '[]', reactions: '{}' }
	},

	/** Only one's own, and only to topics that are there; nothing otherwise. */
	async update(viewer: Viewer, postId: number, change: PostChange): Promise<PostRow | undefined> {
		const { topics, ...rest } = change
		const wanted = known(viewer, topics ?? [])
		const may = sql`(select count(*) from ${wanted}) = ${topics?.length ?? 0} and exists (select 1 from ${visiblePost(viewer, postId)} and p.author_id = ${viewer.userId})`
		const update = db
			.update(posts)
			.set({
				...rest,
				...(topics && { topics: kept(wanted) }),
				updatedAt: viewer.now,
				indexAt: firstTellAt(viewer.now),
			})
			.where(and(eq(posts.id, postId), may))
			.returning(rewritten(viewer))
		if (!topics) return (await update)[0]
		const counted = db
			.insert(spaceTopics)
			.select(
				sql`select p.space_id, n.id, sum(n.change) from posts p cross join (
					select id, 1 as change from ${wanted} union all
					select t.id, -1 from posts o, json_each(o.topics) w join tags t on t.id = w.value where o.id = ${postId}) n
				where p.id = ${postId} and ${may} group by n.id having sum(n.change) <> 0`,
			)
			.onConflictDoUpdate({
				target: [spaceTopics.spaceId, spaceTopics.tagId],
				set: { postsCount: sql`space_topics.posts_count + excluded.posts_count` },
			})
		const [, rows] = await db.batch([counted, update])
		return rows[0]
	},

	/**
	 * One's own, or any for those who moderate. What it counted for in its space is taken off once. What is hidden
	 * can come back.
	 */
	async remove(viewer: Viewer, postId: number, how: 'for good' | 'hidden'): Promise<boolean> {
		const [removed] = await db.batch([
			db
				.update(posts)
				.set({
					deletedAt: viewer.now,
					hiddenAt: how === 'hidden' ? viewer.now : null,
					// What search knows of a post that does not come back goes with the next sweep.
					...(how === 'for good' && { indexAt: viewer.now }),
				})
				.where(
					and(
						eq(posts.id, postId),
						isNull(posts.deletedAt),
						mayModerate(viewer) ? undefined : eq(posts.authorId, viewer.userId),
						isShown(viewer, postId),
					),
				)
				.returning({ id: posts.id }),
			recordEventIfChanged(db, viewer.now, {
				type: how === 'hidden' ? 'community.post_hidden' : 'community.post_deleted',
				...ofPost(viewer, postId),
			}),
			countTopicsIfChanged(db, postId, -1),
		])
		return removed.length === 1
	},

	/** False unless it was hidden in a space that the viewer sees, and its author has not had it wiped since. */
	async restore(viewer: Viewer, postId: number): Promise<boolean> {
		const [restored] = await db.batch([
			db
				.update(posts)
				.set({ deletedAt: null, hiddenAt: null })
				.where(
					sql`id = ${postId} and hidden_at is not null and body <> '' and exists (select 1 from spaces s where s.id = posts.space_id and ${visibleSpaces(viewer)})`,
				)
				.returning({ id: posts.id }),
			recordEventIfChanged(db, viewer.now, { type: 'community.post_restored', ...ofPost(viewer, postId) }),
			countTopicsIfChanged(db, postId, 1),
		])
		return restored.length === 1
	},
})

/** In the space of the post, if the statement before it in the same batch changed something. */
const countTopicsIfChanged = (db: Db, postId: number, by: 1 | -1) =>
	db
		.update(spaceTopics)
		.set({ postsCount: sql`posts_count + ${by}` })
		.where(
			sql`changes() > 0 and space_id = (select p.space_id from posts p where p.id = ${postId}) and tag_id in (select w.value from posts p, json_each(p.topics) w where p.id = ${postId})`,
		)

const isShown = (viewer: Viewer, postId: number) => sql`exists (select 1 from ${visiblePost(viewer, postId)})`
