import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from './columns.ts'

/**
 * Domain events, written in the same batch as the change they tell of, so neither exists without the other.
 * Events from which something follows are relayed to the queue; rows stay undone until their consumers have had them.
 */
export const outbox = sqliteTable(
	'outbox',
	{
		id: text().primaryKey(),
		type: text().notNull(),
		orgId: text(),
		payload: text({ mode: 'json' }).$type<Record<string, unknown>>().notNull(),
		createdAt: createdAt(),
		/** When the relay may (again) hand it to the queue. */
		dueAt: instant().notNull(),
		handovers: integer().notNull().default(0),
		doneAt: instant(),
		/** Position in `urgencies` of the contract: 0 is the most urgent. */
		urgency: integer().notNull().default(2),
		/** With whom it shares the time of a sweep: its organization, else its community, else nobody (its own id). */
		tenant: text().notNull().default(''),
	},
	(t) => [
		index('outbox_waiting').on(t.urgency, t.tenant, t.dueAt).where(sql`done_at is null`),
		index('outbox_done').on(t.doneAt).where(sql`done_at is not null`),
	],
)

/** Answers to requests that carried an Idempotency-Key, for 24 hours. */
export const idempotencyKeys = sqliteTable(
	'idempotency_keys',
	{
		/** Keyed hash over caller, operation and key. */
		id: text().primaryKey(),
		requestHash: text().notNull(),
		/** null while the first request is still at work. */
		status: integer(),
		/** Encrypted under the caller's key: answers may hold secrets that are shown once. */
		answer: text(),
		lockedUntil: instant().notNull(),
		expiresAt: instant().notNull(),
	},
	(t) => [index('idempotency_keys_expiry').on(t.expiresAt)],
)

/** One row per mail, so a queue message that comes twice is sent once. Holds no address. */
export const mails = sqliteTable(
	'mails',
	{
		id: text().primaryKey(),
		claimedUntil: instant().notNull(),
		sentAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [index('mails_created').on(t.createdAt)],
)

/** Keys of hashes that are kept for good. They outlive AUTH_SECRET, under which they are sealed. */
export const dataKeys = sqliteTable('data_keys', {
	name: text().primaryKey(),
	sealed: text().notNull(),
	createdAt: createdAt(),
})

/** Addresses that want no more invitations. Kept when an account is deleted, as the address is to be left alone then too. */
export const mailRefusals = sqliteTable('mail_refusals', {
	/** A keyed hash: whoever reads the database learns no address. */
	addressHash: text().primaryKey(),
	createdAt: createdAt(),
})

/** Who reported an invitation of an organization: each address once. */
export const mailReports = sqliteTable(
	'mail_reports',
	{
		orgId: text().notNull(),
		addressHash: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('mail_reports_org').on(t.orgId, t.addressHash),
		index('mail_reports_created').on(t.createdAt),
	],
)

/** Queue messages that failed for good, kept for people to look at and send again. */
export const deadLetters = sqliteTable(
	'dead_letters',
	{
		id: text().primaryKey(),
		queue: text().notNull(),
		type: text().notNull(),
		body: text({ mode: 'json' }).$type<unknown>().notNull(),
		attempts: integer().notNull(),
		createdAt: createdAt(),
	},
	(t) => [index('dead_letters_created').on(t.createdAt)],
)

/**
 * Stored objects that must go, written in the same batch as the end of what they belonged to. A purge is kept until
 * nothing can arrive any more, since an address to upload to outlives what it was made for.
 */
export const storagePurges = sqliteTable(
	'storage_purges',
	{
		bucket: text({ enum: ['vault', 'media'] }).notNull(),
		/** All keys that begin so. */
		prefix: text().notNull(),
		dueAt: instant().notNull(),
		/** The last time it is needed. */
		lastDueAt: instant().notNull(),
	},
	(t) => [
		uniqueIndex('storage_purges_prefix').on(t.bucket, t.prefix),
		index('storage_purges_due').on(t.dueAt),
	],
)
