import { and, asc, eq, sql } from 'drizzle-orm'
import { communities, memberships } from '#schema/tables/community.ts'
import type { Db } from '../../platform/database.ts'
import { recordEvent, recordEventIfChanged } from '../../platform/outbox.ts'
import { claimOf } from '../domains/claim.ts'
import { removeCommunities } from './removal-store.ts'

export type CommunityRow = typeof communities.$inferSelect
type Change = Partial<Pick<CommunityRow, 'name' | 'slug' | 'customDomain'>>

/** True in statements about what belongs to an organization's community. */
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

	/** With its owner, if a person makes it, and the event. */
	async insert(
		row: typeof communities.$inferInsert & { orgId: string },
		ownerId: number | null,
	): Promise<CommunityRow | undefined> {
		const { slug, orgId, createdAt: now } = row
		const id = sql<number>`(select id from communities where slug = ${slug})`
		const made = db.insert(communities).values(row).returning()
		const told = recordEvent(db, now, { type: 'community.created', orgId, payload: { communityId: id } })
		if (ownerId === null) return (await db.batch([made, told]))[0][0]
		const owner = db.insert(memberships).values({
			communityId: id,
			userId: ownerId,
			role: 'owner',
			status: 'active',
			createdAt: now,
			updatedAt: now,
		})
		return (await db.batch([made, owner, told]))[0][0]
	},

	/** With all it holds, from everyone's sight; see removal.ts for the rest. */
	async remove(orgId: string, id: number, now: number): Promise<boolean> {
		const which = sql`communities.id = ${id} and communities.org_id = ${orgId}`
		const [, removed] = await db.batch([
			...removeCommunities(db, which, now),
			recordEventIfChanged(db, now, { type: 'community.deleted', orgId, payload: { communityId: id } }),
		])
		return removed.length === 1
	},

	/** A domain that stays the same keeps what proved it. */
	async update(
		orgId: string,
		id: number,
		{ customDomain, ...change }: Change,
		now: number,
	): Promise<CommunityRow | undefined> {
		const claim = customDomain === undefined ? {} : claimOf(customDomain, now)
		const claimed = Object.entries(claim).map(([name, value]) => [
			name,
			sql`case when custom_domain is ${customDomain} then ${communities[name as keyof typeof claim]} else ${value} end`,
		])
		const [row] = await db
			.update(communities)
			.set({ ...change, ...Object.fromEntries(claimed), updatedAt: now })
			.where(and(eq(communities.id, id), eq(communities.orgId, orgId)))
			.returning()
		return row
	},
})
