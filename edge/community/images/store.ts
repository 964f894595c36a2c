import { eq, sql } from 'drizzle-orm'
import { images, postReactions } from '#schema/tables/community/content.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { Viewer } from '../access/visible-spaces.ts'
import { visibleSpaces } from '../access/visible-spaces.ts'
import { readablePost, visiblePost } from '../posts/store.ts'
import { type ImageRow, returnedImageColumns } from './columns.ts'

const MAX_IMAGES_PER_POST = 10

type NewImage = Pick<typeof images.$inferSelect, 'objectKey' | 'contentType' | 'width' | 'height' | 'alt'>

type Place = { postId: number; spaceId: number }
type DescribedImage = ImageRow & Place
type RemovedImage = { key: string } & Place

const place = {
	postId: images.postId,
	spaceId: sql<number>`(select p.space_id from posts p where p.id = post_id)`,
}

const visibleImage = (viewer: Viewer, id: number) =>
	sql`
		images i
		join posts p on p.id = i.post_id
		join spaces s on s.id = p.space_id
		where i.id = ${id} and p.deleted_at is null and ${visibleSpaces(viewer)}
	`

export const imageStore = (db: Db) => ({
	/** Returns undefined if the post was deleted since it was read, or has the maximum number of images. */
	async insert(viewer: Viewer, postId: number, image: NewImage): Promise<ImageRow | undefined> {
		const { communityId, userId, now } = viewer
		const [row] = await insertSelect(
			db,
			images,
			{
				communityId,
				postId: sql`p.id`,
				uploaderId: userId,
				objectKey: image.objectKey,
				contentType: image.contentType,
				width: image.width,
				height: image.height,
				alt: image.alt,
				createdAt: now,
			},
			sql`
				from ${visiblePost(viewer, postId)}
					and p.author_id = ${userId}
					and (select count(*) from images n where n.post_id = p.id) < ${MAX_IMAGES_PER_POST}
			`,
		).returning(returnedImageColumns(viewer))
		return row
	},

	/** Finds the key of an image, also of a hidden post that the viewer may read. */
	async findKey(viewer: Viewer, id: number): Promise<string | undefined> {
		const ofImage = sql`(select i.post_id from images i where i.id = ${id})`
		const [row] = await db.all<{ key: string }>(
			sql`
				select i.object_key as key from images i
				where i.id = ${id} and exists (select 1 from ${readablePost(viewer, ofImage)})
			`,
		)
		return row?.key
	},

	/** Finds the key of an image by the grant in its URL; undefined if its post is no longer shown. */
	async findGrantedKey(
		id: number,
		{ communityId, isHidden }: { communityId: number; isHidden: boolean },
	): Promise<string | undefined> {
		const isShown = isHidden
			? sql`(p.deleted_at is null or (p.hidden_at is not null and p.body <> ''))`
			: sql`p.deleted_at is null`
		const [row] = await db.all<{ key: string }>(
			sql`
				select i.object_key as key from images i
				join posts p on p.id = i.post_id
				join communities c on c.id = i.community_id
				left join orgs o on o.id = c.org_id
				where i.id = ${id} and i.community_id = ${communityId} and o.suspended_at is null and ${isShown}
			`,
		)
		return row?.key
	},

	/** Sets the description of an image in the viewer's own post. Returns undefined for other images. */
	async describe(viewer: Viewer, id: number, alt: string | null): Promise<DescribedImage | undefined> {
		const [row] = await db
			.update(images)
			.set({ alt })
			.where(sql`id = (select i.id from ${visibleImage(viewer, id)} and p.author_id = ${viewer.userId})`)
			.returning({ ...returnedImageColumns(viewer), ...place })
		return row
	},

	async isVisible(viewer: Viewer, id: number): Promise<boolean> {
		return (await db.all(sql`select 1 from ${visibleImage(viewer, id)}`)).length === 1
	},

	/** Deletes an image with its reactions. Returns undefined if the viewer can't see or may not delete it. */
	async remove(viewer: Viewer, id: number): Promise<RemovedImage | undefined> {
		const isDeletable = viewer.role === 'member' ? sql`and p.author_id = ${viewer.userId}` : sql``
		const { imageDeleted } = await batch(db, {
			imageDeleted: db
				.delete(images)
				.where(sql`id = (select i.id from ${visibleImage(viewer, id)} ${isDeletable})`)
				.returning({ key: images.objectKey, ...place }),
			reactionsDeleted: db
				.delete(postReactions)
				.where(
					sql`${eq(postReactions.imageId, id)} and not exists (select 1 from images i where i.id = ${id})`,
				),
		})
		return imageDeleted[0]
	},
})
