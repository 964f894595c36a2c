import { sql } from 'drizzle-orm'
import { revokingActions } from '#schema/contract/accounts/audit/actions.ts'
import { auditLog } from '#schema/tables/audit-log.ts'
import { checkpoints, outbox } from '#schema/tables/platform.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type Checkpoint, checkpointStore } from '../../../platform/rewind/checkpoint-store.ts'
import type { VaultCheckpoint } from '../../../platform/rewind/vault-checkpoint.ts'
import { loggedEvents, Revocation } from './revocations.ts'

/** The number of entries per checkpoint; the next one continues. */
const MAX_ENTRIES = 1_000

type Highest = Pick<VaultCheckpoint, 'sequences' | 'events' | 'logged'>

/** `audit_log` is left out, because its positions have no gaps. */
const sequencesOf = (db: Db) =>
	db
		.select({ name: sql<string>`name`, seq: sql<number>`seq` })
		.from(sql`sqlite_sequence`)
		.where(sql`name <> 'audit_log'`)

const highestOf = (db: Db) =>
	db
		.select({
			audit: sql<number>`coalesce((select max(a.position) from audit_log a), 0)`,
			events: sql<number>`coalesce((select max(o.rowid) from outbox o), 0)`,
		})
		.from(sql`(select 1)`)

/** Returns statements that read what was revoked since. The rows of a minute are few. */
const revocationsAfter = (db: Db, { audit, events }: VaultCheckpoint['logged'], since = 0) => ({
	entries: db
		.select({
			at: auditLog.position,
			id: auditLog.id,
			what: auditLog.action,
			orgId: auditLog.orgId,
			targetId: auditLog.targetId,
			userId: auditLog.targetUserId,
			details: auditLog.details,
		})
		.from(auditLog)
		// The `+` keeps SQLite from choosing the index of actions instead of that of positions.
		.where(
			sql`
				${auditLog.position} > ${audit}
				and +${auditLog.action} in ${revokingActions}
				and +${auditLog.createdAt} >= ${since}
			`,
		)
		.orderBy(auditLog.position)
		.limit(MAX_ENTRIES),
	events: db
		.select({
			at: sql<number>`outbox.rowid`,
			id: outbox.id,
			what: outbox.type,
			orgId: outbox.orgId,
			targetId: sql<string | null>`coalesce(
				${outbox.payload} ->> 'requestId', ${outbox.payload} ->> 'assetId', ${outbox.payload} ->> 'passkeyId'
			)`,
			userId: sql<number | null>`${outbox.payload} ->> 'userId'`,
			change: sql<string | null>`${outbox.payload} ->> 'change'`,
			deletion: sql<string | null>`
				case
					when ${outbox.type} = 'account.deletion_requested' then (
						select json_object(
							'userId', r.user_id, 'deleteContent', r.delete_content, 'requestedAt', r.requested_at,
							'scheduledFor', r.scheduled_for, 'tokenNonce', r.token_nonce, 'cancellationTokenHash',
							r.cancellation_token_hash
						)
						from account_deletion_requests as r
						where r.id = ${outbox.payload} ->> 'requestId' and r.user_id is not null
					)
				end
			`,
		})
		.from(outbox)
		.where(
			sql`outbox.rowid > ${events} and ${outbox.type} in ${loggedEvents} and ${outbox.createdAt} >= ${since}`,
		)
		.orderBy(sql`outbox.rowid`)
		.limit(MAX_ENTRIES),
})

type Found = { at: number; id: string; what: string }
type FoundEntry = Found & { details: unknown }
type FoundEvent = Found & { change: string | null; deletion: string | null }

const toRevocations = (entries: readonly FoundEntry[], events: readonly FoundEvent[]): Revocation[] => [
	...entries.map(({ at: _, ...revocation }) => Revocation.parse(revocation)),
	...events.map(({ at: _, change, deletion, ...revocation }) => {
		const details = {
			...(change !== null && { change }),
			...(deletion !== null && { deletion: JSON.parse(deletion) }),
		}
		return Revocation.parse({ ...revocation, details })
	}),
]

export const rewindStore = (db: Db) => ({
	async findHighest(): Promise<Highest> {
		const { sequences, highest } = await batch(db, { sequences: sequencesOf(db), highest: highestOf(db) })
		const { audit = 0, events = 0 } = highest[0] ?? {}
		return { sequences: recordOf(sequences), events, logged: { audit, events } }
	},

	/** Inserts the next checkpoint, and reads what the vault has to know at it. Returns null if the database was restored. */
	async insertCheckpoint(
		stored: Checkpoint & Pick<VaultCheckpoint, 'logged'>,
		nonce: string,
		now: number,
	): Promise<(Highest & { number: number; revocations: Revocation[] }) | null> {
		const store = checkpointStore(db)
		const { checkpointInserted, entries, events, sequences, highest } = await batch(db, {
			checkpointInserted: store.insertAfterStatement(stored, nonce, now),
			checkpointsPruned: store.pruneStatement(stored),
			...revocationsAfter(db, stored.logged),
			sequences: sequencesOf(db),
			highest: highestOf(db),
		})
		const [inserted] = checkpointInserted
		if (!inserted) return null
		const { audit = 0, events: newestEvent = 0 } = highest[0] ?? {}
		return {
			number: inserted.number,
			revocations: toRevocations(entries, events),
			sequences: recordOf(sequences),
			events: newestEvent,
			logged: { audit: endOf(entries, audit), events: endOf(events, newestEvent) },
		}
	},

	/** Returns the revocations since the last checkpoint that were made since an instant. */
	async findRevocations(after: VaultCheckpoint['logged'], since: number): Promise<Revocation[]> {
		const { entries, events } = await batch(db, revocationsAfter(db, after, since))
		return toRevocations(entries, events)
	},

	/** Inserts the checkpoint of a repaired database, which no earlier database has. */
	insertRepairedStatement: (number: number, nonce: string, now: number) =>
		db.insert(checkpoints).values({ number, nonce, createdAt: now }),

	identifyStatement: (installationId: string, now: number) =>
		db
			.insert(checkpoints)
			.values({ number: 0, nonce: installationId, createdAt: now })
			.onConflictDoUpdate({ target: checkpoints.number, set: { nonce: installationId } }),
})

const recordOf = (sequences: readonly { name: string; seq: number }[]): Record<string, number> =>
	Object.fromEntries(sequences.map(({ name, seq }) => [name, seq]))

/** Returns where the next read starts: after the last row of a full batch, else after the newest row. */
const endOf = (read: readonly { at: number }[], newest: number): number =>
	(read.length === MAX_ENTRIES ? read.at(-1)?.at : undefined) ?? newest
