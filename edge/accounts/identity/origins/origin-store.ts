import { lt, type SQL, sql } from 'drizzle-orm'
import { signInOrigins } from '#schema/tables/accounts/identity.ts'
import { DAY } from '../../../platform/clock.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import { recordRareEventStatement } from '../../../platform/outbox/outbox.ts'

/** A network or browser unused for this long counts as new again. */
const KEPT_MS = 180 * DAY

type OpenedSession = { id: string; ip: string; userAgent: string; createdAt: number }

export const originStore = (db: Db) => ({
	/** Must follow the statement that opens the session in its batch; inserts nothing unless a session was opened. */
	rememberStatement(session: OpenedSession, hashes: readonly string[]) {
		const rows: SQL = sql.join(
			hashes.map((hash) => sql`(${hash})`),
			sql`, `,
		)
		return insertSelect(
			db,
			signInOrigins,
			{
				userId: sql`s.user_id`,
				originHash: sql`place.column1`,
				firstSessionId: sql`s.id`,
				lastSeenAt: session.createdAt,
			},
			sql`from sessions s, (values ${rows}) place where s.id = ${session.id}`,
		).onConflictDoUpdate({
			target: [signInOrigins.userId, signInOrigins.originHash],
			set: { lastSeenAt: sql`max(${signInOrigins.lastSeenAt}, excluded.last_seen_at)` },
		})
	},

	/** Records a sign-in event if the network or the browser is new for this user, and returns its id. */
	recordIfNewStatement(session: OpenedSession, userId: number) {
		const { ip, userAgent } = session
		return recordRareEventStatement(
			db,
			session.createdAt,
			{ type: 'account.signed_in_anew', orgId: null, payload: { userId, ip, userAgent } },
			sql`exists (
				select 1 from sign_in_origins o where o.user_id = ${userId} and o.first_session_id = ${session.id}
			)`,
		)
	},

	async prune(now: number): Promise<void> {
		await db.delete(signInOrigins).where(lt(signInOrigins.lastSeenAt, now - KEPT_MS))
	},
})
