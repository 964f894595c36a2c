import { and, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import { spaces } from '#schema/tables/community/community.ts'
import { posts, spaceTopics } from '#schema/tables/community/content.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { recordEventIfChangedStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { mergeSpaces } from '../access/merged-spaces.ts'
import { acceptsPosts } from '../access/space-policies.ts'
import { mayReadHidden, selectOrgId, type Viewer, visibleSpaces } from '../access/visible-spaces.ts'
import type { Removal } from '../moderation/removal.ts'
import { notifyAuthorStatement } from '../notifications/hiding-store.ts'
import { computeFirstNotifyAt } from '../notifications/pending-notification.ts'
import type { PushTo } from '../notifications/push.ts'
import { type PageStart, selectPageByTime } from '../page-start.ts'
import { followsByDefault } from '../participation/default-follow-store.ts'
import { postIndex, selectCandidates, selectPage } from '../search/candidates.ts'
import { type PostRow, returnedPostColumns, selectedPostColumns } from './columns.ts'

export type PostChange = { title?: string | null; body?: string; topics?: number[] }
type MovedPost = { postId: number; spaceId: number; authorsNotified: PushTo[] }
type NewPost = { title: string | null; body: string; topics: number[] }

/** Joins a visible post `p` with its space `s`, for statements that depend on the post. */
export const visiblePost = (viewer: Viewer, postId: number) =>
	sql`
		posts p
		join spaces s on s.id = p.space_id
		where p.id = ${postId} and p.deleted_at is null and ${visibleSpaces(viewer)}
	`

/** Joins a visible post, or a hidden one that the viewer may read. */
export const readablePost = (viewer: Viewer, postId: SQL | number) =>
	sql`
		posts p
		join spaces s on s.id = p.space_id
		where p.id = ${postId}
			and (p.deleted_at is null or ${mayReadHidden(viewer, sql`p`)})
			and ${visibleSpaces(viewer)}
	`

/** Selects the ids of the topics that exist, each once, in ascending order, as posts store them. */
const existingTopics = ({ communityId }: Viewer, topics: readonly number[]) =>
	sql`(
		select t.id from tags t
		where t.community_id = ${communityId} and t.id in (select value from json_each(${JSON.stringify(topics)}))
		order by t.id
	)`
const topicIdsJson = (ids: SQL) => sql`(select json_group_array(id) from ${ids})`

/** Joins from the posts, so that their index gives the order. Skips posts that the viewer can't see. */
const visiblePosts = (viewer: Viewer, condition: SQL) => sql`
	from posts p cross join spaces s on s.id = p.space_id
	where ${condition} and p.deleted_at is null and ${visibleSpaces(viewer)}`

const selectPostIds = (viewer: Viewer, limit: number, start: PageStart) => {
	const { sort, from } = start
	const order = sort === 'latest' ? 'newest first' : 'earliest first'
	const livePosts = { rows: 'posts', at: 'created_at', order, where: sql`y.deleted_at is null` } as const
	const { isAfter } = selectPageByTime(sql`y`, start, limit)
	return mergeSpaces(viewer, { ...livePosts, from: isAfter }, limit, typeof from === 'number' ? from : 0)
}

/** Returns the fields that an update may change. */
export const pickEditableFields = ({ title, body, topics }: PostRow) => ({
	title,
	body,
	topics: (JSON.parse(topics) as { id: number }[]).map(({ id }) => id).toSorted((a, b) => a - b),
})

type EditablePost = ReturnType<typeof pickEditableFields>

/** SQL condition: the post `p` still has these values. Deleted topics, which stay on a post, don't count. */
const isStill = (before: EditablePost | undefined): SQL =>
	before
		? sql`
			and p.title is ${before.title}
			and p.body = ${before.body}
			and (
				select json_group_array(id) from (
					select t.id from json_each(p.topics) w
					cross join tags t on t.id = w.value
					order by t.id
				)
			) = ${JSON.stringify(before.topics)}
		`
		: sql``

const canModerate = ({ role }: Viewer) => role !== 'member'

const eventOfPost = ({ communityId }: Viewer, postId: number) => ({
	orgId: selectOrgId(communityId),
	payload: { communityId, postId },
})

export const postStore = (db: Db) => ({
	async isVisible(viewer: Viewer, postId: number): Promise<boolean> {
		const rows = await db.all(sql`select p.id from ${visiblePost(viewer, postId)}`)
		return rows.length === 1
	},

	/** Returns who may comment on a post; undefined unless the viewer may read it. */
	async findCommentPolicy(viewer: Viewer, postId: number): Promise<SpacePolicy | undefined> {
		const [row] = await db.all<{ policy: SpacePolicy }>(
			sql`select s.comment_policy as policy from ${readablePost(viewer, postId)}`,
		)
		return row?.policy
	},

	async listInSpace(viewer: Viewer, spaceId: number, limit: number, start: PageStart): Promise<PostRow[]> {
		const { isAfter, inOrder } = selectPageByTime(sql`p`, start, limit)
		const isInSpace = sql`p.space_id = ${spaceId} and ${isAfter}`
		return db.all(sql`select ${selectedPostColumns(viewer)} ${visiblePosts(viewer, isInSpace)} ${inOrder}`)
	},

	/** Lists posts of all visible spaces. */
	async listVisible(viewer: Viewer, limit: number, start: PageStart): Promise<PostRow[]> {
		const isOnPage = sql`p.id in (${selectPostIds(viewer, limit, start)})`
		const { inOrder } = selectPageByTime(sql`p`, { ...start, from: 0 }, limit)
		return db.all(sql`select ${selectedPostColumns(viewer)} ${visiblePosts(viewer, isOnPage)} ${inOrder}`)
	},

	/** Finds posts by words, or by substring if no post has the words; newest first. */
	async search(viewer: Viewer, query: string, limit: number, offset: number): Promise<PostRow[]> {
		const visible = (candidates: SQL) =>
			sql`
				select p.id, p.created_at from ${candidates}
				cross join posts p on p.id = candidates.id
				cross join spaces s on s.id = p.space_id
				where p.deleted_at is null and ${visibleSpaces(viewer)}
			`
		const found = selectCandidates(postIndex, viewer.communityId, query)
		const page = selectPage(found, visible, sql`2 desc, 1 desc`, limit, offset)
		return db.all(
			sql`
				select ${selectedPostColumns(viewer)} from (${page}) found
				cross join posts p on p.id = found.id
				cross join spaces s on s.id = p.space_id
				order by p.created_at desc, p.id desc
			`,
		)
	},

	/** Lists the posts of one author, newest first. */
	async listByAuthor(viewer: Viewer, authorId: number, limit: number, offset: number): Promise<PostRow[]> {
		const isByAuthor = sql`p.author_id = ${authorId} and p.community_id = ${viewer.communityId}`
		return db.all(
			sql`
				select ${selectedPostColumns(viewer)} ${visiblePosts(viewer, isByAuthor)}
				order by p.id desc limit ${limit} offset ${offset}
			`,
		)
	},

	async find(viewer: Viewer, postId: number): Promise<PostRow | undefined> {
		const [row] = await db.all<PostRow>(
			sql`select ${selectedPostColumns(viewer)} from ${visiblePost(viewer, postId)}`,
		)
		return row
	},

	/** Finds a post, also a hidden one that the viewer may read. */
	async findReadable(viewer: Viewer, postId: number): Promise<PostRow | undefined> {
		const [row] = await db.all<PostRow>(
			sql`select ${selectedPostColumns(viewer)} from ${readablePost(viewer, postId)}`,
		)
		return row
	},

	/** Inserts a post and counts its topics in the space. Returns undefined if the space is not visible or does not accept the post, or a topic is unknown. */
	async insert(viewer: Viewer, spaceId: number, post: NewPost): Promise<PostRow | undefined> {
		const { communityId, userId, now } = viewer
		const topics = existingTopics(viewer, post.topics)
		const {
			postInserted: [row],
		} = await batch(db, {
			postInserted: insertSelect(
				db,
				posts,
				{
					communityId,
					spaceId: sql`s.id`,
					authorId: userId,
					title: post.title,
					body: post.body,
					createdAt: now,
					updatedAt: now,
					indexAt: computeFirstNotifyAt(now),
					topics: topicIdsJson(topics),
				},
				sql`
					from spaces s
					where s.id = ${spaceId}
						and ${visibleSpaces(viewer)}
						and ${acceptsPosts(viewer)}
						and (select count(*) from ${topics}) = ${post.topics.length}
				`,
			).returning(
				// The follower is inserted after the response, so this predicts it.
				returnedPostColumns(viewer, { isFollowing: followsByDefault(viewer.membershipId) }),
			),
			postCounted: countPostStatement(db, sql`${spaceId}`, 1),
			topicsCounted: insertSelect(
				db,
				spaceTopics,
				{ spaceId, tagId: sql`id`, postsCount: 1 },
				sql`from ${topics} where changes() > 0`,
			).onConflictDoUpdate({
				target: [spaceTopics.spaceId, spaceTopics.tagId],
				set: { postsCount: sql`space_topics.posts_count + 1` },
			}),
		})
		return row
	},

	/**
	 * Updates the viewer's own post, with `before` only if it still has these values. Returns undefined for posts of others
	 * and for unknown topics.
	 */
	async update(
		work: UnitOfWork,
		viewer: Viewer,
		postId: number,
		change: PostChange,
		before?: EditablePost,
	): Promise<PostRow | undefined> {
		const { topics, ...rest } = change
		const newTopics = existingTopics(viewer, topics ?? [])
		const canUpdate = sql`
			(select count(*) from ${newTopics}) = ${topics?.length ?? 0}
			and exists (
				select 1 from ${visiblePost(viewer, postId)} and p.author_id = ${viewer.userId} ${isStill(before)}
			)
		`
		const update = db
			.update(posts)
			.set({
				...rest,
				...(topics && { topics: topicIdsJson(newTopics) }),
				updatedAt: viewer.now,
				indexAt: computeFirstNotifyAt(viewer.now),
			})
			.where(and(eq(posts.id, postId), canUpdate))
			.returning(returnedPostColumns(viewer))
		const countTopics = () =>
			insertSelect(
				db,
				spaceTopics,
				{ spaceId: sql`p.space_id`, tagId: sql`n.id`, postsCount: sql`sum(n.change)` },
				sql`
				from posts p
				cross join (
					select id, 1 as change from ${newTopics}
					union all
					select t.id, -1 from posts o, json_each(o.topics) w
					join tags t on t.id = w.value
					where o.id = ${postId}
				) n
				where p.id = ${postId} and ${canUpdate}
				group by n.id
				having sum(n.change) <> 0
			`,
			).onConflictDoUpdate({
				target: [spaceTopics.spaceId, spaceTopics.tagId],
				set: { postsCount: sql`space_topics.posts_count + excluded.posts_count` },
			})
		const { postUpdated } = await batch(db, {
			topicsCounted: topics ? countTopics() : null,
			postUpdated: update,
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'post.updated',
				...eventOfPost(viewer, postId),
			}),
		})
		return postUpdated[0]
	},

	/**
	 * Deletes or hides a post, and subtracts its topics once from the counts of the space. Members can remove their own
	 * posts, moderators any post. A hidden post can be restored. Returns its place and the notifications of the author;
	 * undefined if nothing changed.
	 */
	async remove(
		work: UnitOfWork,
		viewer: Viewer,
		postId: number,
		how: Removal,
	): Promise<MovedPost | undefined> {
		const { authorNotified, postDeleted } = await batch(db, {
			authorNotified:
				how.kind === 'hide' && canModerate(viewer)
					? notifyAuthorStatement(db, viewer, 'post_hidden', postId, sql`p.deleted_at is null`)
					: null,
			postDeleted: db
				.update(posts)
				.set({
					deletedAt: viewer.now,
					...(how.kind === 'hide' && { hiddenAt: viewer.now, hiddenReason: how.reason }),
					// The next sweep removes a deleted post from the search index.
					...(how.kind === 'delete' && { indexAt: viewer.now }),
				})
				.where(
					and(
						eq(posts.id, postId),
						isNull(posts.deletedAt),
						canModerate(viewer) ? undefined : eq(posts.authorId, viewer.userId),
						isVisiblePost(viewer, postId),
					),
				)
				.returning({ postId: posts.id, spaceId: posts.spaceId }),
			postCounted: countPostStatement(db, spaceOfPost(postId), -1),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: how.kind === 'delete' ? 'post.deleted' : 'post.hidden',
				...eventOfPost(viewer, postId),
			}),
			topicsCounted: countTopicsStatement(db, postId, -1),
		})
		const [place] = postDeleted
		return place && { ...place, authorsNotified: authorNotified ?? [] }
	},

	/**
	 * Restores a hidden post. Returns its place and the notifications of the author; undefined if the viewer can't see its space, or account
	 * deletion erased its text.
	 */
	async restore(work: UnitOfWork, viewer: Viewer, postId: number): Promise<MovedPost | undefined> {
		const { authorNotified, postRestored } = await batch(db, {
			authorNotified: notifyAuthorStatement(
				db,
				viewer,
				'post_restored',
				postId,
				sql`p.hidden_at is not null and p.body <> ''`,
			),
			postRestored: db
				.update(posts)
				.set({ deletedAt: null, hiddenAt: null, hiddenReason: null })
				.where(
					sql`
						id = ${postId}
						and hidden_at is not null
						and body <> ''
						and exists (select 1 from spaces s where s.id = posts.space_id and ${visibleSpaces(viewer)})
					`,
				)
				.returning({ postId: posts.id, spaceId: posts.spaceId }),
			postCounted: countPostStatement(db, spaceOfPost(postId), 1),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'post.restored',
				...eventOfPost(viewer, postId),
			}),
			topicsCounted: countTopicsStatement(db, postId, 1),
		})
		const [place] = postRestored
		return place && { ...place, authorsNotified: authorNotified }
	},
})

const spaceOfPost = (postId: number) => sql`(select p.space_id from posts p where p.id = ${postId})`

/** Returns a statement that counts a post in its space, if the previous statement changed a row. */
const countPostStatement = (db: Db, spaceId: SQL, by: 1 | -1) =>
	db
		.update(spaces)
		.set({ postsCount: sql`max(0, posts_count + ${by})` })
		.where(sql`changes() > 0 and id = ${spaceId}`)

/** Returns a statement that counts the topics of a post in its space, if the previous statement changed a row. */
const countTopicsStatement = (db: Db, postId: number, by: 1 | -1) =>
	db
		.update(spaceTopics)
		.set({ postsCount: sql`posts_count + ${by}` })
		.where(
			sql`
				changes() > 0
				and space_id = ${spaceOfPost(postId)}
				and tag_id in (select w.value from posts p, json_each(p.topics) w where p.id = ${postId})
			`,
		)

const isVisiblePost = (viewer: Viewer, postId: number) =>
	sql`exists (select 1 from ${visiblePost(viewer, postId)})`
