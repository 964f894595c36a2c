import { and, eq, gt, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { communities } from '#schema/tables/community.ts'
import type { Db } from '../../platform/database.ts'
import { type Problem, recordValueOf } from './verdict.ts'

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

/** A community of the organization that claims a domain. */
const ofOrg = (orgId: string, id: number) =>
	and(eq(communities.id, id), eq(communities.orgId, orgId), isNotNull(communities.customDomain))

/** The claim as it was when its record was looked up: what changed since is not judged by an older answer. */
const unchanged = (row: DomainRow) =>
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

	/** For a check that somebody asks for; nothing if one was asked for within `intervalMs`. */
	async claimAsked(orgId: string, id: number, intervalMs: number, now: number) {
		const [row] = await db
			.update(communities)
			.set({ domainAskedAt: now })
			.where(
				and(
					ofOrg(orgId, id),
					or(
						isNull(communities.domainAskedAt),
						lte(communities.domainAskedAt, now - intervalMs),
						// Of a clock that was wrong.
						gt(communities.domainAskedAt, now),
					),
				),
			)
			.returning(columns)
		return row satisfies DomainRow | undefined
	},

	/** Those that are due, put off, so that another sweep finds others and a check that dies is made again. */
	async claimDue(limit: number, leaseMs: number, now: number): Promise<DomainRow[]> {
		const due = db
			.select({ id: communities.id })
			.from(communities)
			.where(lte(communities.domainCheckAt, now))
			.orderBy(communities.domainCheckAt)
			.limit(limit)
		return db
			.update(communities)
			.set({ domainCheckAt: now + leaseMs })
			.where(inArray(communities.id, due))
			.returning(columns)
	},

	/** Verifies the domain, unless another community holds it and its record is there too. */
	async prove(
		row: DomainRow,
		values: readonly string[],
		next: { nextCheckAt: number; heldCheckAt: number | null; lostCheckAt: number | null },
		now: number,
	): Promise<void> {
		const shown = sql`(select value from json_each(${JSON.stringify(values)}))`
		const isMine = sql`exists (select 1 from communities mine where mine.id = ${row.id} and mine.domain_proof = ${row.proof})`
		const isHeld = sql`exists (select 1 from communities held where held.custom_domain = ${row.domain} and held.domain_verified_at is not null and held.id <> ${row.id})`
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
						sql`${sql.raw(`'${recordValueOf('')}'`)} || domain_proof not in ${shown}`,
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
				.where(and(mine, sql`not ${isHeld}`)),
			db
				.update(communities)
				.set({ domainProblem: 'held', domainCheckedAt: now, domainCheckAt: next.heldCheckAt })
				.where(and(mine, isNull(communities.domainVerifiedAt))),
		])
	},

	async noteProblem(
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
			.where(unchanged(row))
	},

	/** From here on it is a claim like a new one. */
	async lose(row: DomainRow, nextCheckAt: number | null, now: number): Promise<void> {
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
			.where(unchanged(row))
	},
})
