import type { PostImage } from '#schema/contract/community/member/images.ts'
import { toShownReaction } from '#schema/contract/community/reaction.ts'
import { viewCounts } from '../reactions/counts.ts'
import type { ImageRow } from './columns.ts'
import type { SignImageUrl } from './image-urls.ts'

export const viewImage = async (
	signImageUrl: SignImageUrl,
	row: ImageRow,
	isHidden: boolean,
): Promise<PostImage> => ({
	id: row.id,
	url: await signImageUrl(row.id, isHidden),
	content_type: row.contentType,
	width: row.width,
	height: row.height,
	alt: row.alt,
	reactions: viewCounts(JSON.parse(row.reactions)),
	my_reaction: row.myReaction === null ? null : toShownReaction(row.myReaction),
})
