import type { Author } from '#schema/contract/community/fields.ts'
import type { Post } from '#schema/contract/community/posts.ts'
import { iso } from '../../platform/clock.ts'
import { viewImage } from '../images/view.ts'
import type { PostRow } from './store.ts'

type Authored = { authorId: number | null; authorName: string | null; authorAvatarUrl: string | null }

/** null also when the row of the person is gone and the number of it is not yet. */
export const viewAuthor = ({ authorId: id, authorName: name, authorAvatarUrl }: Authored): Author =>
	id === null || name === null ? null : { id, name, avatar_url: authorAvatarUrl }

/** The database gathers them in whatever order it meets them. */
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
	created_at: iso(row.createdAt),
	updated_at: iso(row.updatedAt),
	space: { id: row.spaceId, name: row.spaceName, slug: row.spaceSlug },
	author: viewAuthor(row),
	topics: topicsIn(row.topics),
	images: imagesIn(row.images),
	comments_count: row.commentsCount,
	reactions: JSON.parse(row.reactions),
	my_reaction: row.myReaction,
	is_bookmarked: row.isBookmarked === 1,
	is_following: row.isFollowing === 1,
})
