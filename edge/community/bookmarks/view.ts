import type { Bookmark, SpaceBookmark } from '#schema/contract/community/member/bookmarks.ts'
import { toIso } from '../../platform/clock.ts'
import { truncateToExcerpt } from '../excerpt.ts'
import type { BookmarkRow } from './store.ts'

export const viewBookmark = (row: BookmarkRow): Bookmark => ({
	id: row.id,
	record_id: row.postId,
	bookmarkable_type: 'Post',
	created_at: toIso(row.createdAt),
	bookmark_record: {
		id: row.postId,
		name: truncateToExcerpt(row.body),
		slug: String(row.postId),
		url: `/posts/${row.postId}`,
		space: { id: row.spaceId, name: row.spaceName, slug: row.spaceSlug },
	},
})

export function viewSpaceBookmark(row: BookmarkRow): SpaceBookmark {
	const name = truncateToExcerpt(row.body)
	return {
		id: row.id,
		name,
		display_type: 'post',
		links: [
			{
				id: row.postId,
				name,
				display_type: 'post',
				url: `/posts/${row.postId}`,
				emoji: null,
				custom_emoji_url: null,
			},
		],
	}
}
