import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { spaceTopics, tags } from '#schema/tables/community/content.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { ownedBy } from '../communities/store.ts'

const columns = { id: tags.id, name: tags.name, slug: tags.slug }
type TopicRef = { orgId: string; communityId: number; topicId: number }
export type TopicChange = { name?: string; slug?: string }

const isTopic = ({ orgId, communityId, topicId }: TopicRef): SQL | undefined =>
	and(eq(tags.id, topicId), eq(tags.communityId, communityId), ownedBy(orgId, communityId))

export const topicStore = (db: Db) => ({
	async list(communityId: number) {
		return db.select(columns).from(tags).where(eq(tags.communityId, communityId)).orderBy(asc(tags.slug))
	},

	async insert(row: { communityId: number; name: string; slug: string; createdAt: number }) {
		const [inserted] = await db.insert(tags).values(row).returning(columns)
		return inserted as NonNullable<typeof inserted>
	},

	async update(ref: TopicRef, change: TopicChange) {
		const [updated] = await db.update(tags).set(change).where(isTopic(ref)).returning(columns)
		return updated
	},

	/** Deletes a topic. Posts keep its id, because there may be very many; ids are never reused, and views skip unknown ones. */
	async remove(ref: TopicRef): Promise<boolean> {
		const communitySpaces = sql`(select s.id from spaces s where s.community_id = ${ref.communityId})`
		const { topicDeleted } = await batch(db, {
			topicDeleted: db.delete(tags).where(isTopic(ref)).returning({ id: tags.id }),
			topicCountsDeleted: db
				.delete(spaceTopics)
				.where(sql`changes() > 0 and space_id in ${communitySpaces} and tag_id = ${ref.topicId}`),
		})
		return topicDeleted.length === 1
	},
})
