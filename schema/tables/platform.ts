import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { RepairStep } from '#schema/contract/operations/rewind/repair-steps.ts'
import { createdAt, instant } from './columns.ts'

/**
 * Domain events, written in the batch of the change that they describe, so neither exists without the other. Events with
 * followers are relayed to the queue; a row is done once all of its followers have run.
 */
export const outbox = sqliteTable(
	'outbox',
	{
		id: text().primaryKey(),
		type: text().notNull(),
		orgId: text(),
		payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
		createdAt: createdAt(),
		/** When the relay may next send the event to the queue. */
		dueAt: instant().notNull(),
		handovers: integer().notNull().default(0),
		doneAt: instant(),
		/** Position in `urgencies` of the contract: 0 is the most urgent. */
		urgency: integer().notNull().default(2),
		/** The tenant whose share of a sweep the event uses: organization, else community, else its own id. */
		tenant: text().notNull().default(''),
		/** Counts the public events of the organization in the order of their transactions; null for other events. */
		sequence: integer(),
		/** What the event is about, such as `asset:ast_…`: an asset, comment, member, post or event of a community. */
		resource: text(),
	},
	(t) => [
		uniqueIndex('outbox_public').on(t.orgId, t.sequence).where(sql`sequence is not null`),
		index('outbox_waiting').on(t.urgency, t.tenant, t.dueAt).where(sql`done_at is null`),
		index('outbox_done').on(t.doneAt).where(sql`done_at is not null`),
	],
)

/** Responses to requests with an Idempotency-Key, kept for 24 hours. */
export const idempotencyKeys = sqliteTable(
	'idempotency_keys',
	{
		/** Keyed hash of caller, operation and key. */
		id: text().primaryKey(),
		requestHash: text().notNull(),
		/** null while the first request is running. */
		status: integer(),
		/** Encrypted under the caller's key, because responses may contain secrets that are shown once. */
		answer: text(),
		lockedUntil: instant().notNull(),
		expiresAt: instant().notNull(),
	},
	(t) => [index('idempotency_keys_expiry').on(t.expiresAt)],
)

/** Keys of hashes that are kept indefinitely. They survive a rotation of AUTH_SECRET, under which they are sealed. */
export const dataKeys = sqliteTable('data_keys', {
	name: text().primaryKey(),
	sealed: text().notNull(),
	createdAt: createdAt(),
})

/** Queue messages that failed permanently, kept for operators to inspect and send again. */
export const deadLetters = sqliteTable(
	'dead_letters',
	{
		id: text().primaryKey(),
		queue: text().notNull(),
		type: text().notNull(),
		body: text({ mode: 'json' }).$type<unknown>().notNull(),
		attempts: integer().notNull(),
		createdAt: createdAt(),
		/** When an operator requested the only retry, and when the message was sent to its queue again. */
		retryAt: instant(),
		retriedAt: instant(),
	},
	(t) => [
		index('dead_letters_created').on(t.createdAt, t.id),
		index('dead_letters_unsent').on(t.createdAt).where(sql`retried_at is null`),
		index('dead_letters_retries').on(t.retryAt).where(sql`retry_at is not null and retried_at is null`),
	],
)

/**
 * Pending deletions of stored objects, written in the batch that deletes their owner. A purge is kept until no object can
 * arrive any more, because a presigned upload URL outlives the row that it was created for.
 */
export const storagePurges = sqliteTable(
	'storage_purges',
	{
		bucket: text({ enum: ['vault', 'media'] }).notNull(),
		/** All objects whose keys begin with this prefix are deleted. */
		prefix: text().notNull(),
		dueAt: instant().notNull(),
		/** When the purge must run for the last time. */
		lastDueAt: instant().notNull(),
	},
	(t) => [
		uniqueIndex('storage_purges_prefix').on(t.bucket, t.prefix),
		index('storage_purges_due').on(t.dueAt),
	],
)

/**
 * A row for each minute. The newest one is copied to the vault: a database that lacks the copied checkpoint was restored
 * to an older state. The nonce of number 0 identifies the installation and is kept.
 */
export const checkpoints = sqliteTable('checkpoints', {
	/** Keeps counting after a restore. */
	number: integer().primaryKey(),
	nonce: text().notNull(),
	createdAt: createdAt(),
})

/** Repairs of a restored database: one row for each checkpoint that was found missing. */
export const rewindRepairs = sqliteTable(
	'rewind_repairs',
	{
		/** The nonce of the missing checkpoint. */
		id: text().primaryKey(),
		/** The newest checkpoint that the restored database has. */
		checkpoint: integer().notNull(),
		/** The step that runs next; null at the end. */
		step: text().$type<RepairStep>(),
		/** Where the step continues. */
		cursor: text(),
		/** How many rows or objects the steps have changed, by name. */
		counts: text({ mode: 'json' }).$type<Partial<Record<RepairStep, number>>>().notNull(),
		startedAt: instant().notNull(),
		/** When requests were served again. */
		openedAt: instant(),
		endedAt: instant(),
		/** Until when one run may work on the repair. */
		leaseUntil: instant().notNull().default(0),
	},
	(t) => [
		index('rewind_repairs_unfinished').on(t.startedAt).where(sql`ended_at is null`),
		index('rewind_repairs_started').on(t.startedAt),
	],
)
