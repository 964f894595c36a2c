import type { Post } from '#schema/contract/community/member/posts.ts'
import { toShownReaction } from '#schema/contract/community/reaction.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { viewImage } from '../images/view.ts'
import { viewPerson } from '../people.ts'
import type { PostRow } from './columns.ts'

/** Sorts topics by id: SQLite aggregates them in no defined order. */
const topicsIn = (json: string): Post['topics'] =>
	(JSON.parse(json) as Post['topics']).sort((a, b) => a.id - b.id)

const imagesIn = (json: string): Post['images'] =>
	(JSON.parse(json) as { id: number; contentType: string }[]).sort((a, b) => a.id - b.id).map(viewImage)

function reactionsIn(json: string): Post['reactions'] {
	const counts = new Map<string, number>()
	for (const [stored, count] of Object.entries(JSON.parse(json) as Record<string, number>)) {
		const reaction = toShownReaction(stored)
		counts.set(reaction, (counts.get(reaction) ?? 0) + count)
	}
	return Object.fromEntries(counts)
}

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
	reactions: reactionsIn(row.reactions),
	my_reaction: row.myReaction === null ? null : toShownReaction(row.myReaction),
	is_bookmarked: row.isBookmarked === 1,
	is_following: row.isFollowing === 1,
	hidden_at: toIsoOrNull(row.hiddenAt),
	hidden_reason: row.hiddenReason,
})
