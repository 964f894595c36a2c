import { and, asc, eq, sql } from 'drizzle-orm'
import { communityIdentityProviders as providers } from '#schema/tables/community/community.ts'
import { insertedId, runAudited } from '../../platform/audit/audit.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { ownedBy } from '../communities/store.ts'

export type IdentityProviderRow = typeof providers.$inferSelect
export type Place = { orgId: string; communityId: number; id: number }

const isAt = ({ orgId, communityId, id }: Place) =>
	and(eq(providers.id, id), eq(providers.communityId, communityId), ownedBy(orgId, communityId))

const entryOf = ({ orgId, communityId, id }: Place) => ({
	orgId,
	target: { kind: 'identity_provider' as const, id },
	details: { communityId },
})

export const identityProviderStore = (db: Db) => ({
	async list(communityId: number): Promise<IdentityProviderRow[]> {
		return db
			.select()
			.from(providers)
			.where(eq(providers.communityId, communityId))
			.orderBy(asc(providers.id))
	},

	async find(place: Place): Promise<IdentityProviderRow | undefined> {
		const [row] = await db.select().from(providers).where(isAt(place))
		return row
	},

	/** Inserts nothing if the community belongs to another organization or has `max` providers. */
	async insert(
		work: UnitOfWork,
		orgId: string,
		row: Omit<IdentityProviderRow, 'id'>,
		max: number,
	): Promise<IdentityProviderRow | undefined> {
		const { communityId } = row
		const [inserted] = await runAudited(
			work,
			insertSelect(
				db,
				providers,
				row,
				sql`
					where ${ownedBy(orgId, communityId)}
						and (
							select count(*) from community_identity_providers p where p.community_id = ${communityId}
						) < ${max}
				`,
			).returning(),
			{
				action: 'identity_provider.created',
				orgId,
				target: { kind: 'identity_provider', id: insertedId },
				details: { communityId },
			},
		)
		return inserted
	},

	async update(
		work: UnitOfWork,
		place: Place,
		change: Partial<Pick<IdentityProviderRow, 'label' | 'clientSecret' | 'joining'>>,
	): Promise<IdentityProviderRow | undefined> {
		const { details, ...entry } = entryOf(place)
		const [row] = await runAudited(
			work,
			db
				.update(providers)
				.set({ ...change, updatedAt: work.now })
				.where(isAt(place))
				.returning(),
			{
				action: 'identity_provider.updated',
				...entry,
				details: {
					...details,
					changed: Object.keys(change),
					...(change.joining && { joining: change.joining }),
				},
			},
		)
		return row
	},

	async remove(work: UnitOfWork, place: Place): Promise<boolean> {
		const rows = await runAudited(
			work,
			db.delete(providers).where(isAt(place)).returning({ id: providers.id }),
			{ action: 'identity_provider.deleted', ...entryOf(place) },
		)
		return rows.length === 1
	},
})
