import { and, asc, eq, sql } from 'drizzle-orm'
import { accessGroupSpaces, spaceGroups, spaces } from '#schema/tables/community.ts'
import { spaceTopics } from '#schema/tables/community-content.ts'
import type { Db } from '../../platform/database.ts'
import { ownedBy } from '../communities/store.ts'

export type SpaceGroupRow = typeof spaceGroups.$inferSelect
export type SpaceRow = typeof spaces.$inferSelect
type GroupChange = Partial<Pick<SpaceGroupRow, 'name' | 'slug' | 'position'>>
type SpaceChange = Partial<
	Pick<SpaceRow, 'name' | 'slug' | 'spaceType' | 'visibility' | 'spaceGroupId' | 'position'>
>
/** Where something is managed: a community, of an organization. */
export type Place = { orgId: string; communityId: number }

const owned = ({ orgId, communityId }: Place) => ownedBy(orgId, communityId)

export const managedSpaceStore = (db: Db) => ({
	async listGroups(communityId: number): Promise<SpaceGroupRow[]> {
		return db
			.select()
			.from(spaceGroups)
			.where(eq(spaceGroups.communityId, communityId))
			.orderBy(asc(spaceGroups.position), asc(spaceGroups.id))
	},

	async insertGroup(row: Omit<SpaceGroupRow, 'id'>): Promise<SpaceGroupRow> {
		const [made] = await db.insert(spaceGroups).values(row).returning()
		return made as SpaceGroupRow
	},

	async updateGroup(place: Place, id: number, change: GroupChange): Promise<SpaceGroupRow | undefined> {
		const [row] = await db
			.update(spaceGroups)
			.set(change)
			.where(and(eq(spaceGroups.id, id), eq(spaceGroups.communityId, place.communityId), owned(place)))
			.returning()
		return row
	},

	/** Its spaces come out of it in the same batch. */
	async deleteGroup(place: Place, id: number, now: number): Promise<boolean> {
		const [deleted] = await db.batch([
			db
				.delete(spaceGroups)
				.where(and(eq(spaceGroups.id, id), eq(spaceGroups.communityId, place.communityId), owned(place)))
				.returning({ id: spaceGroups.id }),
			db
				.update(spaces)
				.set({ spaceGroupId: null, updatedAt: now })
				.where(and(eq(spaces.spaceGroupId, id), sql`changes() > 0`)),
		])
		return deleted.length === 1
	},

	async list(communityId: number): Promise<SpaceRow[]> {
		return db
			.select()
			.from(spaces)
			.where(eq(spaces.communityId, communityId))
			.orderBy(asc(spaces.position), asc(spaces.id))
	},

	async find(place: Place, id: number): Promise<SpaceRow | undefined> {
		const [row] = await db
			.select()
			.from(spaces)
			.where(and(eq(spaces.id, id), eq(spaces.communityId, place.communityId), owned(place)))
		return row
	},

	/** Nothing when the group is not one of the community's. */
	async insert(row: Omit<SpaceRow, 'id'>): Promise<SpaceRow | undefined> {
		const { communityId, spaceGroupId, name, slug, spaceType, visibility, position, createdAt: now } = row
		const [made] = await db
			.insert(spaces)
			.select(
				sql`select null, ${communityId}, ${spaceGroupId}, ${name}, ${slug}, ${spaceType}, ${visibility}, ${position}, ${now}, ${now} where ${inCommunity(spaceGroupId, communityId)}`,
			)
			.returning()
		return made
	},

	/** Nothing when the space, or the group it is put into, is not one of the community's. */
	async update(place: Place, id: number, change: SpaceChange, now: number): Promise<SpaceRow | undefined> {
		const [row] = await db
			.update(spaces)
			.set({ ...change, updatedAt: now })
			.where(
				and(
					eq(spaces.id, id),
					eq(spaces.communityId, place.communityId),
					owned(place),
					inCommunity(change.spaceGroupId ?? null, place.communityId),
				),
			)
			.returning()
		return row
	},

	/** Only an empty one, with the access that groups gave to it. */
	async delete(place: Place, id: number): Promise<boolean> {
		const isGone = sql`not exists (select 1 from spaces s where s.id = ${id})`
		const [deleted] = await db.batch([
			db
				.delete(spaces)
				.where(
					and(
						eq(spaces.id, id),
						eq(spaces.communityId, place.communityId),
						owned(place),
						sql`not exists (select 1 from posts p where p.space_id = ${id} and p.deleted_at is null)`,
						sql`not exists (select 1 from events e where e.space_id = ${id})`,
					),
				)
				.returning({ id: spaces.id }),
			db.delete(accessGroupSpaces).where(and(eq(accessGroupSpaces.spaceId, id), isGone)),
			db.delete(spaceTopics).where(and(eq(spaceTopics.spaceId, id), isGone)),
		])
		return deleted.length === 1
	},
})

const inCommunity = (spaceGroupId: number | null, communityId: number) =>
	spaceGroupId === null
		? sql`true`
		: sql`exists (select 1 from space_groups g where g.id = ${spaceGroupId} and g.community_id = ${communityId})`
