import { and, asc, eq, sql } from 'drizzle-orm'
import { users } from '#schema/tables/accounts/identity.ts'
import {
	accessGroupMembers,
	accessGroupSpaces,
	accessGroups,
	memberships,
	spaces,
} from '#schema/tables/community/community.ts'
import {
	auditIfChangedStatement,
	auditPerRowStatement,
	insertedId,
	runAudited,
} from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { selectUserId } from '../people.ts'

export type AccessGroupRow = typeof accessGroups.$inferSelect
type EditableGroup = Pick<AccessGroupRow, 'name' | 'status'>
export type AccessGroupChange = Partial<EditableGroup>
type Position = readonly [number, string | number] | null

/** Identifies an access group; all three ids must match. */
export type GroupRef = { orgId: string; communityId: number; accessGroupId: number }

const isOwned = ({ orgId, communityId, accessGroupId }: GroupRef) =>
	sql`exists (
		select 1 from access_groups g
		join communities o on o.id = g.community_id
		where g.id = ${accessGroupId} and g.community_id = ${communityId} and o.org_id = ${orgId}
	)`

type Change = 'updated' | 'deleted' | 'member_added' | 'member_removed' | 'space_added' | 'space_removed'

const entryOf = ({ orgId, communityId, accessGroupId }: GroupRef, change: Change, details: object = {}) => ({
	action: `access_group.${change}` as const,
	orgId,
	target: { kind: 'access_group' as const, id: accessGroupId },
	details: { communityId, ...details },
})

/** Names the member as well, so that their erasure finds the entry. */
function memberEntryOf(group: GroupRef, change: Change, memberId: number) {
	const entry = entryOf(group, change)
	return { ...entry, target: { ...entry.target, userId: selectUserId(memberId) } }
}

export const pickEditableColumns = ({ name, status }: AccessGroupRow): EditableGroup => ({ name, status })

export const accessGroupStore = (db: Db) => ({
	async list(communityId: number, limit: number, position: Position): Promise<AccessGroupRow[]> {
		return db
			.select()
			.from(accessGroups)
			.where(
				and(
					eq(accessGroups.communityId, communityId),
					position
						? sql`(${accessGroups.createdAt}, ${accessGroups.id}) > (${position[0]}, ${position[1]})`
						: undefined,
				),
			)
			.orderBy(asc(accessGroups.createdAt), asc(accessGroups.id))
			.limit(limit + 1)
	},

	async insert(work: UnitOfWork, row: Omit<AccessGroupRow, 'id'>): Promise<AccessGroupRow> {
		const [inserted] = await runAudited(work, db.insert(accessGroups).values(row).returning(), {
			action: 'access_group.created',
			target: { kind: 'access_group', id: insertedId },
			details: { communityId: row.communityId },
		})
		return inserted as AccessGroupRow
	},

	async find(group: GroupRef): Promise<AccessGroupRow | undefined> {
		const [row] = await db
			.select()
			.from(accessGroups)
			.where(and(eq(accessGroups.id, group.accessGroupId), isOwned(group)))
		return row
	},

	async exists(group: GroupRef): Promise<boolean> {
		const rows = await db
			.select({ id: accessGroups.id })
			.from(accessGroups)
			.where(and(eq(accessGroups.id, group.accessGroupId), isOwned(group)))
		return rows.length === 1
	},

	/** Changes nothing unless the group still has the values `before`. */
	async update(
		work: UnitOfWork,
		group: GroupRef,
		change: AccessGroupChange,
		before?: EditableGroup,
	): Promise<AccessGroupRow | undefined> {
		const [row] = await runAudited(
			work,
			db
				.update(accessGroups)
				.set(change)
				.where(
					and(
						eq(accessGroups.id, group.accessGroupId),
						isOwned(group),
						before && hasValues(accessGroups, before),
					),
				)
				.returning(),
			entryOf(group, 'updated', {
				changed: Object.keys(change),
				...(change.status && { status: change.status }),
			}),
		)
		return row
	},

	async delete(work: UnitOfWork, group: GroupRef): Promise<boolean> {
		const { accessGroupId: id } = group
		const isDeleted = sql`not exists (select 1 from access_groups g where g.id = ${id})`
		const { groupDeleted } = await batch(db, {
			groupDeleted: db
				.delete(accessGroups)
				.where(and(eq(accessGroups.id, id), isOwned(group)))
				.returning({ id: accessGroups.id }),
			entryWritten: auditIfChangedStatement(work, entryOf(group, 'deleted')),
			membersDeleted: db
				.delete(accessGroupMembers)
				.where(and(eq(accessGroupMembers.accessGroupId, id), isDeleted)),
			spacesDeleted: db
				.delete(accessGroupSpaces)
				.where(and(eq(accessGroupSpaces.accessGroupId, id), isDeleted)),
		})
		return groupDeleted.length === 1
	},

	async listMembers(accessGroupId: number, limit: number, position: Position) {
		return db
			.select({
				memberId: accessGroupMembers.membershipId,
				name: sql<string>`coalesce(${memberships.name}, ${users.name})`.as('name'),
				expiresAt: accessGroupMembers.expiresAt,
				addedAt: accessGroupMembers.createdAt,
			})
			.from(accessGroupMembers)
			.innerJoin(memberships, eq(memberships.id, accessGroupMembers.membershipId))
			.innerJoin(users, eq(users.id, memberships.userId))
			.where(
				and(
					eq(accessGroupMembers.accessGroupId, accessGroupId),
					position
						? sql`
							(
								${accessGroupMembers.createdAt}, ${accessGroupMembers.membershipId}
							) > (${position[0]}, ${position[1]})
						`
						: undefined,
				),
			)
			.orderBy(asc(accessGroupMembers.createdAt), asc(accessGroupMembers.membershipId))
			.limit(limit + 1)
	},

	/** Returns false unless the group and the member belong to the community. */
	async putMember(work: UnitOfWork, group: GroupRef, memberId: number, expiresAt: number | null) {
		const put = insertSelect(
			db,
			accessGroupMembers,
			{ accessGroupId: group.accessGroupId, membershipId: sql`m.id`, expiresAt, createdAt: work.now },
			sql`
				from memberships m
				where m.id = ${memberId} and m.community_id = ${group.communityId} and ${isOwned(group)}
			`,
		)
			.onConflictDoUpdate({
				target: [accessGroupMembers.accessGroupId, accessGroupMembers.membershipId],
				set: { expiresAt },
			})
			.returning({ id: accessGroupMembers.membershipId })
		const rows = await runAudited(work, put, memberEntryOf(group, 'member_added', memberId))
		return rows.length === 1
	},

	/** Adds those who are members of the community, and returns their ids; undefined unless the group belongs to it. */
	async putMembers(
		work: UnitOfWork,
		group: GroupRef,
		memberIds: readonly number[],
		expiresAt: number | null,
	): Promise<number[] | undefined> {
		const source = sql`
			from memberships m
			where m.id in (select value from json_each(${JSON.stringify(memberIds)}))
				and m.community_id = ${group.communityId}
				and ${isOwned(group)}
		`
		const entry = entryOf(group, 'member_added')
		const { found, added } = await batch(db, {
			found: db
				.select({ id: accessGroups.id })
				.from(accessGroups)
				.where(and(eq(accessGroups.id, group.accessGroupId), isOwned(group))),
			added: insertSelect(
				db,
				accessGroupMembers,
				{ accessGroupId: group.accessGroupId, membershipId: sql`m.id`, expiresAt, createdAt: work.now },
				source,
			)
				.onConflictDoUpdate({
					target: [accessGroupMembers.accessGroupId, accessGroupMembers.membershipId],
					set: { expiresAt },
				})
				.returning({ id: accessGroupMembers.membershipId }),
			entriesWritten: auditPerRowStatement(
				work,
				{ ...entry, target: { ...entry.target, userId: sql`m.user_id` } },
				source,
			),
		})
		return found.length === 1 ? added.map(({ id }) => id) : undefined
	},

	async listOfMember(communityId: number, memberId: number) {
		return db
			.select({
				id: accessGroups.id,
				name: accessGroups.name,
				status: accessGroups.status,
				expiresAt: accessGroupMembers.expiresAt,
				addedAt: accessGroupMembers.createdAt,
			})
			.from(accessGroupMembers)
			.innerJoin(accessGroups, eq(accessGroups.id, accessGroupMembers.accessGroupId))
			.where(and(eq(accessGroupMembers.membershipId, memberId), eq(accessGroups.communityId, communityId)))
			.orderBy(asc(accessGroups.id))
	},

	async removeMember(work: UnitOfWork, group: GroupRef, memberId: number): Promise<boolean> {
		const removal = db
			.delete(accessGroupMembers)
			.where(
				and(
					eq(accessGroupMembers.accessGroupId, group.accessGroupId),
					eq(accessGroupMembers.membershipId, memberId),
					isOwned(group),
				),
			)
			.returning({ id: accessGroupMembers.membershipId })
		const rows = await runAudited(work, removal, memberEntryOf(group, 'member_removed', memberId))
		return rows.length === 1
	},

	async listSpaces(accessGroupId: number) {
		return db
			.select({ spaceId: spaces.id, name: spaces.name })
			.from(accessGroupSpaces)
			.innerJoin(spaces, eq(spaces.id, accessGroupSpaces.spaceId))
			.where(eq(accessGroupSpaces.accessGroupId, accessGroupId))
			.orderBy(asc(accessGroupSpaces.spaceId))
	},

	/** Returns false unless the group and the space belong to the community. */
	async putSpace(work: UnitOfWork, group: GroupRef, spaceId: number): Promise<boolean> {
		const put = insertSelect(
			db,
			accessGroupSpaces,
			{ accessGroupId: group.accessGroupId, spaceId: sql`s.id`, createdAt: work.now },
			sql`
				from spaces s where s.id = ${spaceId} and s.community_id = ${group.communityId} and ${isOwned(group)}
			`,
		)
			.onConflictDoUpdate({
				target: [accessGroupSpaces.accessGroupId, accessGroupSpaces.spaceId],
				// Changes nothing, but makes `returning` yield the existing row; `do nothing` would not.
				set: { spaceId },
			})
			.returning({ id: accessGroupSpaces.spaceId })
		const rows = await runAudited(work, put, entryOf(group, 'space_added', { spaceId }))
		return rows.length === 1
	},

	async removeSpace(work: UnitOfWork, group: GroupRef, spaceId: number): Promise<boolean> {
		const removal = db
			.delete(accessGroupSpaces)
			.where(
				and(
					eq(accessGroupSpaces.accessGroupId, group.accessGroupId),
					eq(accessGroupSpaces.spaceId, spaceId),
					isOwned(group),
				),
			)
			.returning({ id: accessGroupSpaces.spaceId })
		const rows = await runAudited(work, removal, entryOf(group, 'space_removed', { spaceId }))
		return rows.length === 1
	},
})
