import { type SQL, sql } from 'drizzle-orm'
import type { SpacePolicy } from '#schema/contract/community/fields.ts'
import { buildReturningList, buildSelectList, type RowColumns } from '../../platform/database/columns.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { selectImages } from '../images/columns.ts'
import { selectPerson } from '../people.ts'
import { selectShownCounts } from '../reactions/counts.ts'
import { selectShownEmoji } from '../reactions/shown-emoji.ts'

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
	commentPolicy: SpacePolicy
	authorId: number | null
	/** JSON, as are topics, images and reactions. */
	author: string | null
	myReaction: string | null
	isBookmarked: number
	isFollowing: number
	hiddenAt: number | null
	hiddenReason: string | null
	topics: string
	images: string
	reactions: string
}

/** Returns the columns of the post with the alias `post`, as `viewer` sees it, and those of its space. */
const postColumns = (
	viewer: Viewer,
	post: SQL,
	space: { name: SQL; slug: SQL; commentPolicy: SQL },
): RowColumns<PostRow> => ({
	id: sql`${post}.id`,
	title: sql`${post}.title`,
	body: sql`${post}.body`,
	createdAt: sql`${post}.created_at`,
	updatedAt: sql`${post}.updated_at`,
	commentsCount: sql`${post}.comments_count`,
	spaceId: sql`${post}.space_id`,
	spaceName: sql`${space.name}`,
	spaceSlug: sql`${space.slug}`,
	commentPolicy: sql`${space.commentPolicy}`,
	authorId: sql`${post}.author_id`,
	author: sql`${selectPerson(sql`${post}.author_id`, viewer.communityId)}`,
	myReaction: sql`(
		select ${selectShownEmoji(viewer.communityId, sql`r.emoji`)} from post_reactions r
		where r.membership_id = ${viewer.membershipId} and r.post_id = ${post}.id
	)`,
	isBookmarked: sql`
		exists (select 1 from bookmarks b where b.user_id = ${viewer.userId} and b.post_id = ${post}.id)
	`,
	isFollowing: sql`
		exists (
			select 1 from post_followers f
			where f.user_id = ${viewer.userId} and f.post_id = ${post}.id and f.unfollowed_at is null
		)
	`,
	hiddenAt: sql`${post}.hidden_at`,
	hiddenReason: sql`${post}.hidden_reason`,
	// Deleted topics stay in the post's list of ids.
	topics: sql`(
		select json_group_array(json_object('id', t.id, 'name', t.name, 'slug', t.slug))
		from json_each(${post}.topics) w
		cross join tags t on t.id = w.value
	)`,
	images: selectImages(viewer, post),
	reactions: selectShownCounts(viewer.communityId, post),
})

/** Returns the select list for posts joined as `p` with their space as `s`. */
export const selectedPostColumns = (viewer: Viewer): SQL =>
	buildSelectList(
		postColumns(viewer, sql`p`, {
			name: sql`s.name`,
			slug: sql`s.slug`,
			commentPolicy: sql`s.comment_policy`,
		}),
	)

/** Returns the columns for `returning`, which can't join the space. */
export function returnedPostColumns(viewer: Viewer, more: Partial<RowColumns<PostRow>> = {}) {
	const ofSpace = (column: SQL) => sql`(select ${column} from spaces s where s.id = posts.space_id)`
	const space = {
		name: ofSpace(sql`s.name`),
		slug: ofSpace(sql`s.slug`),
		commentPolicy: ofSpace(sql`s.comment_policy`),
	}
	return buildReturningList<PostRow>({ ...postColumns(viewer, sql`posts`, space), ...more })
}
