import { and, asc, eq } from 'drizzle-orm'
import { profileFields } from '#schema/tables/community/community.ts'
import { insertedId, runAudited } from '../../platform/audit/audit.ts'
import type { Db } from '../../platform/database/database.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { ownedBy } from '../communities/store.ts'

export type ProfileFieldRow = typeof profileFields.$inferSelect
export type ProfileFieldChange = Partial<
	Pick<ProfileFieldRow, 'label' | 'fieldType' | 'required' | 'options' | 'position'>
>

const isField = (orgId: string, communityId: number, id: number) =>
	and(eq(profileFields.id, id), eq(profileFields.communityId, communityId), ownedBy(orgId, communityId))

export const profileFieldStore = (db: Db) => ({
	async list(communityId: number): Promise<ProfileFieldRow[]> {
		return db
			.select()
			.from(profileFields)
			.where(eq(profileFields.communityId, communityId))
			.orderBy(asc(profileFields.position), asc(profileFields.id))
	},

	async insert(work: UnitOfWork, row: Omit<ProfileFieldRow, 'id'>): Promise<ProfileFieldRow> {
		const [inserted] = await runAudited(work, db.insert(profileFields).values(row).returning(), {
			action: 'profile_field.created',
			target: { kind: 'profile_field', id: insertedId },
			details: { communityId: row.communityId },
		})
		return inserted as ProfileFieldRow
	},

	async update(work: UnitOfWork, orgId: string, communityId: number, id: number, change: ProfileFieldChange) {
		const [row] = await runAudited(
			work,
			db
				.update(profileFields)
				.set(change)
				.where(isField(orgId, communityId, id))
				.returning(),
			{
				action: 'profile_field.updated',
				orgId,
				target: { kind: 'profile_field', id },
				details: { communityId, changed: Object.keys(change) },
			},
		)
		return row
	},

	async delete(work: UnitOfWork, orgId: string, communityId: number, id: number): Promise<boolean> {
		const rows = await runAudited(
			work,
			db
				.delete(profileFields)
				.where(isField(orgId, communityId, id))
				.returning({ id: profileFields.id }),
			{
				action: 'profile_field.deleted',
				orgId,
				target: { kind: 'profile_field', id },
				details: { communityId },
			},
		)
		return rows.length === 1
	},
})
