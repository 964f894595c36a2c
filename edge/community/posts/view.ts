import type { Post } from '#schema/contract/community/member/posts.ts'
import { toShownReaction } from '#schema/contract/community/reaction.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { viewImage } from '../images/view.ts'
import { viewPerson } from '../people.ts'
import { viewCounts } from '../reactions/counts.ts'
import type { PostRow } from './columns.ts'

/** Sorts topics by id: SQLite aggregates them in no defined order. */
const topicsIn = (json: string): Post['topics'] =>
	(JSON.parse(json) as Post['topics']).sort((a, b) => a.id - b.id)

const imagesIn = (json: string): Post['images'] =>
	(JSON.parse(json) as { id: number; contentType: string }[]).sort((a, b) => a.id - b.id).map(viewImage)

export const viewPost = (row: PostRow): Post => ({
	id: row.id,
	name: row.title,
	body: row.body,
	slug: String(row.id),
	url: `/posts/${row.id}`,
	created_at: toIso(row.createdAt),
	updated_at: toIso(row.updatedAt),
	space: { id: row.spaceId, name: row.spaceName, slug: row.spaceSlug },
	author: viewPerson(row.author),
	topics: topicsIn(row.topics),
	images: imagesIn(row.images),
	comments_count: row.commentsCount,
	reactions: viewCounts(JSON.parse(row.reactions)),
	my_reaction: row.myReaction === null ? null : toShownReaction(row.myReaction),
	is_bookmarked: row.isBookmarked === 1,
	is_following: row.isFollowing === 1,
	hidden_at: toIsoOrNull(row.hiddenAt),
	hidden_reason: row.hiddenReason,
})
