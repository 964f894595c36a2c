import { and, asc, eq, sql } from 'drizzle-orm'
import { communities, memberships } from '#schema/tables/community/community.ts'
import { auditIfChangedStatement, auditStatement, runAudited } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'
import { recordEventIfChangedStatement, recordEventStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { newDomainClaim } from '../domains/claim.ts'
import { removeCommunityStatements } from './removal-store.ts'

export type CommunityRow = typeof communities.$inferSelect
type Change = Partial<Pick<CommunityRow, 'name' | 'slug' | 'customDomain' | 'reactions'>>

/** The columns that an update may change. */
export const pickEditableColumns = ({ name, slug, customDomain, reactions }: CommunityRow) => ({
	...{ name, slug, customDomain, reactions },
})

type EditableCommunity = ReturnType<typeof pickEditableColumns>

/** SQL condition: the community belongs to the organization. */
export const ownedBy = (orgId: string, communityId: number) =>
	sql`exists (select 1 from communities o where o.id = ${communityId} and o.org_id = ${orgId})`

export const communityStore = (db: Db) => ({
	async list(orgId: string, limit: number, position: readonly [number, string | number] | null) {
		return db
			.select()
			.from(communities)
			.where(
				and(
					eq(communities.orgId, orgId),
					position
						? sql`(${communities.createdAt}, ${communities.id}) > (${position[0]}, ${position[1]})`
						: undefined,
				),
			)
			.orderBy(asc(communities.createdAt), asc(communities.id))
			.limit(limit + 1)
	},

	async find(orgId: string, id: number): Promise<CommunityRow | undefined> {
		const [row] = await db
			.select()
			.from(communities)
			.where(and(eq(communities.id, id), eq(communities.orgId, orgId)))
		return row
	},

	/** Inserts a community with its event, and with an owner if a person creates it. */
	async insert(
		work: UnitOfWork,
		row: typeof communities.$inferInsert & { orgId: string },
		ownerId: number | null,
	): Promise<CommunityRow | undefined> {
		const { slug, orgId, createdAt: now } = row
		const id = sql<number>`(select id from communities where slug = ${slug})`
		const membership = {
			communityId: id,
			role: 'owner',
			status: 'active',
			createdAt: now,
			updatedAt: now,
		} as const
		const {
			communityInserted: [inserted],
		} = await batch(db, {
			communityInserted: db.insert(communities).values(row).returning(),
			ownerInserted:
				ownerId === null ? null : db.insert(memberships).values({ ...membership, userId: ownerId }),
			eventRecorded: recordEventStatement(work, {
				type: 'community.created',
				orgId,
				payload: { communityId: id },
			}),
			ownerJoined:
				ownerId === null
					? null
					: recordEventStatement(work, {
							type: 'member.joined',
							orgId,
							payload: {
								communityId: id,
								memberId: sql<number>`(select id from memberships where community_id = ${id})`,
							},
						}),
			entryWritten: auditStatement(work, {
				action: 'community.created',
				orgId,
				target: { kind: 'community', id },
			}),
		})
		return inserted
	},

	/** Deletes a community. removal.ts deletes its content afterwards. */
	async remove(work: UnitOfWork, orgId: string, id: number): Promise<boolean> {
		const which = sql`communities.id = ${id} and communities.org_id = ${orgId}`
		const { communityDeleted } = await batch(db, {
			...removeCommunityStatements(db, which, work.now),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'community.deleted',
				orgId,
				payload: { communityId: id },
			}),
			entryWritten: auditIfChangedStatement(work, {
				action: 'community.deleted',
				orgId,
				target: { kind: 'community', id },
			}),
		})
		return communityDeleted.length === 1
	},

	/**
	 * Updates a community, with `before` only if it still has these values. Setting the same domain again keeps its
	 * verification.
	 */
	async update(
		work: UnitOfWork,
		orgId: string,
		id: number,
		{ customDomain, ...change }: Change,
		before?: EditableCommunity,
	): Promise<CommunityRow | undefined> {
		const claim = customDomain === undefined ? {} : newDomainClaim(customDomain, work.now)
		const claimColumns = Object.entries(claim).map(([name, value]) => [
			name,
			sql`
				case
					when custom_domain is ${customDomain} then ${communities[name as keyof typeof claim]}
					else ${value}
				end
			`,
		])
		const changed = [...Object.keys(change), ...(customDomain === undefined ? [] : ['customDomain'])]
		const [row] = await runAudited(
			work,
			db
				.update(communities)
				.set({ ...change, ...Object.fromEntries(claimColumns), updatedAt: work.now })
				.where(
					and(eq(communities.id, id), eq(communities.orgId, orgId), before && hasValues(communities, before)),
				)
				.returning(),
			{ action: 'community.updated', orgId, target: { kind: 'community', id }, details: { changed } },
		)
		return row
	},
})
