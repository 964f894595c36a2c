import { and, eq, sql } from 'drizzle-orm'
import { orgMembers, orgs, users } from '#schema/tables/accounts/identity.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { hasValues } from '../../../platform/database/has-values.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'

type SecurityChange = { requiresSecondFactor?: boolean; keysNeedProof?: boolean }

export const securityStore = (db: Db) => ({
	async find(orgId: string) {
		const [row] = await db
			.select({
				requireSecondFactor: orgs.requiresSecondFactor,
				recentProofForApiKeys: orgs.keysNeedProof,
				membersWithoutSecondFactor: sql<number>`(
					select count(*) from ${orgMembers} as m
					join ${users} as u on u.id = m.user_id
					where m.org_id = ${orgId} and u.second_factor_at is null
				)`,
			})
			.from(orgs)
			.where(eq(orgs.id, orgId))
		return row
	},

	/**
	 * Returns false if the change requires a second factor and the user, who is an owner, has none; or if the settings no
	 * longer have the values `before`.
	 */
	async change(
		work: UnitOfWork,
		orgId: string,
		change: SecurityChange,
		userId: number,
		before?: Required<SecurityChange>,
	): Promise<boolean> {
		const hasFactor = sql`
			exists (select 1 from users u where u.id = ${userId} and u.second_factor_at is not null)
		`
		const { changed } = await batch(db, {
			changed: db
				.update(orgs)
				.set({ ...change, updatedAt: work.now })
				.where(
					and(
						eq(orgs.id, orgId),
						change.requiresSecondFactor ? hasFactor : undefined,
						before && hasValues(orgs, before),
					),
				)
				.returning({ id: orgs.id }),
			entryWritten: auditIfChangedStatement(work, {
				action: 'settings.updated',
				orgId,
				target: { kind: 'org', id: orgId },
				details: { changed: Object.keys(change) },
			}),
		})
		return changed.length === 1
	},
})
