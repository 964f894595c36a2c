import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { allowedOrigins } from '#schema/tables/accounts/allowed-origins.ts'
import { type AuditDraft, auditStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'

/** The organization, or one of its communities. */
export type OriginOwner = { orgId: string; communityId: number | null }

const belongsTo = ({ orgId, communityId }: OriginOwner) =>
	and(
		eq(allowedOrigins.orgId, orgId),
		communityId === null ? isNull(allowedOrigins.communityId) : eq(allowedOrigins.communityId, communityId),
	)

const columns = { origin: allowedOrigins.origin }

export const allowedOriginStore = (db: Db) => {
	const select = (owner: OriginOwner) =>
		db.select(columns).from(allowedOrigins).where(belongsTo(owner)).orderBy(asc(allowedOrigins.id))

	return {
		async list(owner: OriginOwner): Promise<string[]> {
			return (await select(owner)).map(({ origin }) => origin)
		},

		/** Replaces the list. Origins that remain keep their position. */
		async replace(
			work: UnitOfWork,
			owner: OriginOwner,
			origins: readonly string[],
			entry: AuditDraft,
		): Promise<string[]> {
			const sent = sql`(select value from json_each(${JSON.stringify(origins)}))`
			const { listed } = await batch(db, {
				othersDeleted: db
					.delete(allowedOrigins)
					.where(and(belongsTo(owner), sql`${allowedOrigins.origin} not in ${sent}`)),
				originsInserted: insertSelect(
					db,
					allowedOrigins,
					{ ...owner, id: sql`null`, origin: sql`sent.value`, createdAt: work.now },
					sql`from json_each(${JSON.stringify(origins)}) as sent where true`,
				).onConflictDoNothing(),
				entryWritten: auditStatement(work, { ...entry, details: { origins: origins.length } }),
				listed: select(owner),
			})
			return listed.map(({ origin }) => origin)
		},
	}
}
