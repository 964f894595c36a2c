import { and, asc, eq, sql } from 'drizzle-orm'
import { accessGroupSpaces, spaceGroups, spaces } from '#schema/tables/community/community.ts'
import { spaceTopics } from '#schema/tables/community/content.ts'
import { auditIfChangedStatement, insertedId, runAudited } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { ownedBy } from '../communities/store.ts'

export type SpaceGroupRow = typeof spaceGroups.$inferSelect
export type SpaceRow = typeof spaces.$inferSelect
export type SpaceGroupChange = Partial<Pick<SpaceGroupRow, 'name' | 'slug' | 'position'>>
/** The columns that an update may change. */
export const pickEditableColumns = ({
	name,
	slug,
	spaceType,
	visibility,
	spaceGroupId,
	position,
	emoji,
	description,
	postPolicy,
	commentPolicy,
}: SpaceRow) => ({
	name,
	slug,
	spaceType,
	visibility,
	spaceGroupId,
	position,
	emoji,
	description,
	postPolicy,
	commentPolicy,
})

export type NewSpace = ReturnType<typeof pickEditableColumns>
export type SpaceChange = Partial<NewSpace>

/** Identifies a community; both ids must match. */
export type CommunityRef = { orgId: string; communityId: number }

const isOwned = ({ orgId, communityId }: CommunityRef) => ownedBy(orgId, communityId)

export const managedSpaceStore = (db: Db) => ({
	async listGroups(communityId: number): Promise<SpaceGroupRow[]> {
		return db
			.select()
			.from(spaceGroups)
			.where(eq(spaceGroups.communityId, communityId))
			.orderBy(asc(spaceGroups.position), asc(spaceGroups.id))
	},

	async insertGroup(row: Omit<SpaceGroupRow, 'id'>): Promise<SpaceGroupRow> {
		const [inserted] = await db.insert(spaceGroups).values(row).returning()
		return inserted as SpaceGroupRow
	},

	async updateGroup(
		ref: CommunityRef,
		id: number,
		change: SpaceGroupChange,
	): Promise<SpaceGroupRow | undefined> {
		const [row] = await db
			.update(spaceGroups)
			.set(change)
			.where(and(eq(spaceGroups.id, id), eq(spaceGroups.communityId, ref.communityId), isOwned(ref)))
			.returning()
		return row
	},

	/** Deletes a group and ungroups its spaces. */
	async deleteGroup(ref: CommunityRef, id: number, now: number): Promise<boolean> {
		const { deleted } = await batch(db, {
			deleted: db
				.delete(spaceGroups)
				.where(and(eq(spaceGroups.id, id), eq(spaceGroups.communityId, ref.communityId), isOwned(ref)))
				.returning({ id: spaceGroups.id }),
			spacesUpdated: db
				.update(spaces)
				.set({ spaceGroupId: null, updatedAt: now })
				.where(and(eq(spaces.spaceGroupId, id), sql`changes() > 0`)),
		})
		return deleted.length === 1
	},

	async list(communityId: number): Promise<SpaceRow[]> {
		return db
			.select()
			.from(spaces)
			.where(eq(spaces.communityId, communityId))
			.orderBy(asc(spaces.position), asc(spaces.id))
	},

	async find(ref: CommunityRef, id: number): Promise<SpaceRow | undefined> {
		const [row] = await db
			.select()
			.from(spaces)
			.where(and(eq(spaces.id, id), eq(spaces.communityId, ref.communityId), isOwned(ref)))
		return row
	},

	/** Returns undefined if the group does not belong to the community. */
	async insert(work: UnitOfWork, communityId: number, space: NewSpace): Promise<SpaceRow | undefined> {
		const { spaceGroupId, visibility } = space
		const insert = insertSelect(
			db,
			spaces,
			{ ...space, communityId, createdAt: work.now, updatedAt: work.now },
			sql`where ${inCommunity(spaceGroupId, communityId)}`,
		).returning()
		const [inserted] = await runAudited(work, insert, {
			action: 'space.created',
			target: { kind: 'space', id: insertedId },
			details: { communityId, visibility },
		})
		return inserted
	},

	/**
	 * Returns undefined if the space or its new group does not belong to the community, or the space no longer has the values
	 * `before`.
	 */
	async update(
		work: UnitOfWork,
		ref: CommunityRef,
		id: number,
		change: SpaceChange,
		before?: NewSpace,
	): Promise<SpaceRow | undefined> {
		const { visibility } = change
		const update = db
			.update(spaces)
			.set({ ...change, updatedAt: work.now })
			.where(
				and(
					eq(spaces.id, id),
					eq(spaces.communityId, ref.communityId),
					isOwned(ref),
					inCommunity(change.spaceGroupId ?? null, ref.communityId),
					before && hasValues(spaces, before),
				),
			)
			.returning()
		const [row] = await runAudited(work, update, {
			action: 'space.updated',
			orgId: ref.orgId,
			target: { kind: 'space', id },
			details: {
				communityId: ref.communityId,
				changed: Object.keys(change),
				...(visibility && { visibility }),
			},
		})
		return row
	},

	/**
	 * Deletes an empty space with its grants to access groups. A hidden post that can be restored keeps the space. A post
	 * without text can't be restored: its author's account was deleted.
	 */
	async delete(work: UnitOfWork, ref: CommunityRef, id: number): Promise<boolean> {
		const isDeleted = sql`not exists (select 1 from spaces s where s.id = ${id})`
		const { deleted } = await batch(db, {
			deleted: db
				.delete(spaces)
				.where(
					and(
						eq(spaces.id, id),
						eq(spaces.communityId, ref.communityId),
						isOwned(ref),
						sql`not exists (select 1 from posts p where p.space_id = ${id} and p.deleted_at is null)`,
						sql`not exists (
							select 1 from posts p
							where p.community_id = ${ref.communityId}
								and p.hidden_at is not null
								and p.space_id = ${id}
								and p.body <> ''
						)`,
						sql`not exists (select 1 from events e where e.space_id = ${id})`,
					),
				)
				.returning({ id: spaces.id }),
			entryWritten: auditIfChangedStatement(work, {
				action: 'space.deleted',
				orgId: ref.orgId,
				target: { kind: 'space', id },
				details: { communityId: ref.communityId },
			}),
			accessDeleted: db.delete(accessGroupSpaces).where(and(eq(accessGroupSpaces.spaceId, id), isDeleted)),
			spaceTopicsDeleted: db.delete(spaceTopics).where(and(eq(spaceTopics.spaceId, id), isDeleted)),
		})
		return deleted.length === 1
	},
})

const inCommunity = (spaceGroupId: number | null, communityId: number) =>
	spaceGroupId === null
		? sql`true`
		: sql`
			exists (select 1 from space_groups g where g.id = ${spaceGroupId} and g.community_id = ${communityId})
		`
