import type { Post } from '#schema/contract/community/member/posts.ts'
import type { Member } from '../../http/caller.ts'
import type { State } from '../../http/entity-tag.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { toViewer } from '../access/viewer.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import type { ImageRow } from '../images/columns.ts'
import { imageUrlSigner, type SignImageUrl } from '../images/image-urls.ts'
import { viewImage } from '../images/view.ts'
import { viewPerson } from '../people.ts'
import { viewReactionFields } from '../reactions/view.ts'
import type { PostRow } from './columns.ts'
import { excerptPost } from './excerpt.ts'
import { decidePostPolicies } from './policies.ts'
import { pickEditableFields } from './store.ts'

/** Sorts topics by id: SQLite aggregates them in no defined order. */
const topicsIn = (json: string): Post['topics'] =>
	(JSON.parse(json) as Post['topics']).sort((a, b) => a.id - b.id)

const imagesIn = (json: string): ImageRow[] => (JSON.parse(json) as ImageRow[]).sort((a, b) => a.id - b.id)

/** For whom posts are viewed, and how URLs of their images are made. */
export type PostReader = { viewer: Viewer; signImageUrl: SignImageUrl }

export function toPostReader(deps: Deps, caller: Member, request: Request): PostReader {
	return { viewer: toViewer(caller, deps), signImageUrl: imageUrlSigner(deps, request, caller.communityId) }
}

/** Returns the columns that an update may change, under the names of their fields. */
export const readPostState = (row: PostRow): State => {
	const { title: name, ...others } = pickEditableFields(row)
	return { name, ...others }
}

export async function viewPost(
	{ viewer, signImageUrl }: PostReader,
	row: PostRow,
	body: 'full' | 'excerpt' = 'full',
): Promise<Post> {
	const excerpt = excerptPost(row.body)
	const isHidden = row.hiddenAt !== null
	const images = await Promise.all(
		imagesIn(row.images).map((image) => viewImage(signImageUrl, image, isHidden)),
	)
	return {
		id: row.id,
		name: row.title,
		body: body === 'full' ? row.body : excerpt,
		excerpt,
		is_truncated: excerpt.length < row.body.length,
		slug: String(row.id),
		url: `/posts/${row.id}`,
		created_at: toIso(row.createdAt),
		updated_at: toIso(row.updatedAt),
		space: { id: row.spaceId, name: row.spaceName, slug: row.spaceSlug },
		author: viewPerson(row.author),
		topics: topicsIn(row.topics),
		cover_image: images[0]?.url ?? null,
		images,
		comments_count: row.commentsCount,
		...viewReactionFields(row.reactions, row.myReaction),
		is_bookmarked: row.isBookmarked === 1,
		is_following: row.isFollowing === 1,
		policies: decidePostPolicies(viewer, row),
		hidden_at: toIsoOrNull(row.hiddenAt),
		hidden_reason: row.hiddenReason,
	}
}

export const viewPosts = (reader: PostReader, rows: PostRow[], body: 'full' | 'excerpt'): Promise<Post[]> =>
	Promise.all(rows.map((row) => viewPost(reader, row, body)))
