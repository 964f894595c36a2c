import { and, gt, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { deviceRequests } from '#schema/tables/accounts/device-requests.ts'
import { addressCodes, otpCodes, sessions, users } from '#schema/tables/accounts/identity.ts'
import { impersonations } from '#schema/tables/accounts/impersonations.ts'
import { memberGrants } from '#schema/tables/community/community.ts'
import { machines } from '#schema/tables/video/fleet.ts'
import { batch } from '../../../../platform/database/batch.ts'
import type { Db } from '../../../../platform/database/database.ts'

const ROWS_AT_ONCE = 1_000
/** More token versions than any backup can lack. A literal, because D1 binds numbers as floats. */
const VERSIONS = sql.raw('1000')

const one = { one: sql<number>`1` }

export const accessStore = (db: Db) => {
	/** Owners see former impersonations in a list, so they are ended instead of deleted. */
	const endImpersonations = (now: number) =>
		db
			.update(impersonations)
			.set({ endedAt: now })
			.where(and(gt(impersonations.expiresAt, now), isNull(impersonations.endedAt)))
			.returning(one)
	const deleteSome = (table: SQLiteTable) =>
		db
			.delete(table)
			.where(sql`rowid in (select some.rowid from ${table} as some limit ${ROWS_AT_ONCE})`)
			.returning(one)
	return {
		/** Deletes a page of sessions, grants and codes, and raises the token versions of the next users. */
		async endSome(afterUserId: number, now: number): Promise<{ ended: number; lastUserId: number | null }> {
			const next: SQL = sql`
				select next.id from users as next
				where next.id > ${afterUserId}
				order by next.id limit ${ROWS_AT_ONCE}
			`
			const { usersRaised, ...access } = await batch(db, {
				impersonationsEnded: endImpersonations(now),
				sessionsDeleted: deleteSome(sessions),
				grantsDeleted: deleteSome(memberGrants),
				codesDeleted: deleteSome(otpCodes),
				addressCodesDeleted: deleteSome(addressCodes),
				deviceRequestsDeleted: deleteSome(deviceRequests),
				usersRaised: db
					.update(users)
					.set({ tokenVersion: sql`${users.tokenVersion} + ${VERSIONS}` })
					.where(sql`${users.id} in (${next})`)
					.returning({ id: users.id }),
			})
			const ended = Object.values(access).reduce((sum, rows) => sum + rows.length, 0)
			const ids = usersRaised.map(({ id }) => id)
			return { ended, lastUserId: ids.length === 0 ? null : Math.max(...ids) }
		},

		async raiseMachineVersions(): Promise<number> {
			const rows = await db
				.update(machines)
				.set({ tokenVersion: sql`${machines.tokenVersion} + ${VERSIONS}` })
				.returning(one)
			return rows.length
		},
	}
}
