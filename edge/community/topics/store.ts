import { asc, eq } from 'drizzle-orm'
import { tags } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'

const columns = { id: tags.id, name: tags.name, slug: tags.slug }

export const topicStore = (db: Db) => ({
	async list(communityId: number) {
		return db.select(columns).from(tags).where(eq(tags.communityId, communityId)).orderBy(asc(tags.slug))
	},

	async insert(row: { communityId: number; name: string; slug: string; createdAt: number }) {
		const [made] = await db.insert(tags).values(row).returning(columns)
		return made as NonNullable<typeof made>
	},
})
