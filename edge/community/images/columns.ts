import { type SQL, sql } from 'drizzle-orm'
import { buildJsonObject, buildReturningList, type RowColumns } from '../../platform/database/columns.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { selectShownCounts } from '../reactions/counts.ts'
import { selectShownEmoji } from '../reactions/shown-emoji.ts'

export type ImageRow = {
	id: number
	contentType: string
	width: number | null
	height: number | null
	alt: string | null
	/** JSON. */
	reactions: string
	myReaction: string | null
}

/** Returns the columns of the image with the alias `image`, as `viewer` sees it. */
const imageColumns = (viewer: Viewer, image: SQL): RowColumns<ImageRow> => ({
	id: sql`${image}.id`,
	contentType: sql`${image}.content_type`,
	width: sql`${image}.width`,
	height: sql`${image}.height`,
	alt: sql`${image}.alt`,
	reactions: selectShownCounts(viewer.communityId, image),
	myReaction: sql`(
		select ${selectShownEmoji(viewer.communityId, sql`r.emoji`)} from post_reactions r
		where r.membership_id = ${viewer.membershipId} and r.image_id = ${image}.id
	)`,
})

/** SQL for the images of a post as JSON. */
export const selectImages = (viewer: Viewer, post: SQL): SQL<string> => sql`(
	select json_group_array(${buildJsonObject(imageColumns(viewer, sql`i`), ['reactions'])})
	from images i where i.post_id = ${post}.id
)`

/** Returns the columns for `returning`. */
export const returnedImageColumns = (viewer: Viewer) =>
	buildReturningList<ImageRow>(imageColumns(viewer, sql`images`))
