import type { PostImage } from '#schema/contract/community/member/images.ts'
import type { ImageRow } from './store.ts'

export const viewImage = ({ id, contentType }: ImageRow): PostImage => ({
	id,
	url: `/api/headless/v1/images/${id}`,
	content_type: contentType,
})
