import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { spaceTopics, tags } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { ownedBy } from '../communities/store.ts'

const columns = { id: tags.id, name: tags.name, slug: tags.slug }
type Place = { orgId: string; communityId: number; topicId: number }

const at = ({ orgId, communityId, topicId }: Place): SQL | undefined =>
	and(eq(tags.id, topicId), eq(tags.communityId, communityId), ownedBy(orgId, communityId))

export const topicStore = (db: Db) => ({
	async list(communityId: number) {
		return db.select(columns).from(tags).where(eq(tags.communityId, communityId)).orderBy(asc(tags.slug))
	},

	async insert(row: { communityId: number; name: string; slug: string; createdAt: number }) {
		const [made] = await db.insert(tags).values(row).returning(columns)
		return made as NonNullable<typeof made>
	},

	async update(place: Place, change: { name?: string; slug?: string }) {
		const [changed] = await db.update(tags).set(change).where(at(place)).returning(columns)
		return changed
	},

	/** Posts keep its id, which is never given again, and show nothing for it: they may be very many. */
	async remove(place: Place): Promise<boolean> {
		const ofCommunity = sql`(select s.id from spaces s where s.community_id = ${place.communityId})`
		const [removed] = await db.batch([
			db.delete(tags).where(at(place)).returning({ id: tags.id }),
			db
				.delete(spaceTopics)
				.where(sql`changes() > 0 and space_id in ${ofCommunity} and tag_id = ${place.topicId}`),
		])
		return removed.length === 1
	},
})
