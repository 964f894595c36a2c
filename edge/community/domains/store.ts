import { and, eq, gt, isNotNull, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { communities } from '#schema/tables/community/community.ts'
import type { Db } from '../../platform/database/database.ts'
import { claimDue, type DueRows } from '../../platform/work/due-rows.ts'
import { type Problem, proofRecordValue } from './verdict.ts'

type Row = typeof communities.$inferSelect
export type DomainRow = Pick<Row, 'id' | 'domainVerifiedAt' | 'domainCheckedAt' | 'domainMissingSince'> &
	Pick<Row, 'domainProblem' | 'domainCheckAt'> & { domain: string; proof: string; claimedAt: number }

const columns = {
	id: communities.id,
	domain: sql<string>`custom_domain`.as('domain'),
	proof: sql<string>`domain_proof`.as('proof'),
	claimedAt: sql<number>`domain_claimed_at`.as('claimed_at'),
	domainVerifiedAt: communities.domainVerifiedAt,
	domainCheckedAt: communities.domainCheckedAt,
	domainMissingSince: communities.domainMissingSince,
	domainProblem: communities.domainProblem,
	domainCheckAt: communities.domainCheckAt,
}

export const dueDomains: DueRows = { at: communities.domainCheckAt }

/** Matches a community of the organization, provided it claims a domain. */
const ofOrg = (orgId: string, id: number) =>
	and(eq(communities.id, id), eq(communities.orgId, orgId), isNotNull(communities.customDomain))

/** Matches only a claim that did not change during the lookup: an older answer says nothing about a newer claim. */
const isUnchanged = (row: DomainRow) =>
	and(
		eq(communities.id, row.id),
		eq(communities.domainProof, row.proof),
		sql`domain_verified_at is ${row.domainVerifiedAt}`,
		sql`domain_missing_since is ${row.domainMissingSince}`,
	) as SQL

export const domainStore = (db: Db) => ({
	async find(orgId: string, id: number): Promise<DomainRow | undefined> {
		const [row] = await db.select(columns).from(communities).where(ofOrg(orgId, id))
		return row
	},

	/** Claims a check that a user requests. Returns undefined if one was requested within `intervalMs`. */
	async claimRequestedCheck(orgId: string, id: number, intervalMs: number, now: number) {
		const [row] = await db
			.update(communities)
			.set({ domainAskedAt: now })
			.where(
				and(
					ofOrg(orgId, id),
					or(
						isNull(communities.domainAskedAt),
						lte(communities.domainAskedAt, now - intervalMs),
						// Written while the clock was ahead.
						gt(communities.domainAskedAt, now),
					),
				),
			)
			.returning(columns)
		return row satisfies DomainRow | undefined
	},

	/** Claims due checks for `leaseMs`: the next sweep finds other domains, and an interrupted check runs again. */
	claimDue: (limit: number, leaseMs: number, now: number): Promise<DomainRow[]> =>
		claimDue(db, dueDomains, columns, { now, leaseMs, limit }),

	/** Verifies the domain, unless another community holds it and still has its record in DNS. */
	async verify(
		row: DomainRow,
		values: readonly string[],
		next: { nextCheckAt: number; heldCheckAt: number | null; lostCheckAt: number | null },
		now: number,
	): Promise<void> {
		const recordValues = sql`(select value from json_each(${JSON.stringify(values)}))`
		const isMine = sql`
			exists (select 1 from communities mine where mine.id = ${row.id} and mine.domain_proof = ${row.proof})
		`
		const isVerifiedElsewhere = sql`exists (
			select 1 from communities held
			where held.custom_domain = ${row.domain}
				and held.domain_verified_at is not null
				and held.id <> ${row.id}
		)`
		const mine = and(eq(communities.id, row.id), eq(communities.domainProof, row.proof)) as SQL
		await db.batch([
			db
				.update(communities)
				.set({
					domainVerifiedAt: null,
					domainMissingSince: null,
					domainProblem: 'taken_over',
					domainClaimedAt: now,
					domainCheckAt: next.lostCheckAt,
				})
				.where(
					and(
						eq(communities.customDomain, row.domain),
						isNotNull(communities.domainVerifiedAt),
						ne(communities.id, row.id),
						sql`${sql.raw(`'${proofRecordValue('')}'`)} || domain_proof not in ${recordValues}`,
						isMine,
					),
				),
			db
				.update(communities)
				.set({
					domainVerifiedAt: sql`coalesce(domain_verified_at, ${now})`,
					domainMissingSince: null,
					domainProblem: null,
					domainCheckedAt: now,
					domainCheckAt: next.nextCheckAt,
				})
				.where(and(mine, sql`not ${isVerifiedElsewhere}`)),
			db
				.update(communities)
				.set({ domainProblem: 'held', domainCheckedAt: now, domainCheckAt: next.heldCheckAt })
				.where(and(mine, isNull(communities.domainVerifiedAt))),
		])
	},

	async recordProblem(
		row: DomainRow,
		found: { problem: Problem; missingSince: number | null; nextCheckAt: number | null },
		now: number,
	): Promise<void> {
		await db
			.update(communities)
			.set({
				domainProblem: found.problem,
				domainMissingSince: found.missingSince,
				domainCheckedAt: now,
				domainCheckAt: found.nextCheckAt,
			})
			.where(isUnchanged(row))
	},

	/** Ends the verification. The domain becomes an unverified claim again, as if claimed now. */
	async endVerification(row: DomainRow, nextCheckAt: number | null, now: number): Promise<void> {
		await db
			.update(communities)
			.set({
				domainVerifiedAt: null,
				domainMissingSince: null,
				domainProblem: 'lost',
				domainClaimedAt: now,
				domainCheckedAt: now,
				domainCheckAt: nextCheckAt,
			})
			.where(isUnchanged(row))
	},
})
