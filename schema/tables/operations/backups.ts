import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../columns.ts'

/** A table as it was when a backup began to read it. */
export type BackupTable = {
	name: string
	columns: string[]
	/** Columns whose lengths decide how many rows are read at once. */
	textColumns: string[]
	/** Rows after this one are found in `backup_changes`. */
	lastRowid: number
}
export type BackupPlan = { tables: BackupTable[]; schemaHash: string }

/** Backups of the database, which are stored in the vault. One runs at a time. Not part of backups. */
export const backups = sqliteTable(
	'backups',
	{
		id: text().primaryKey(),
		reason: text({ enum: ['daily', 'requested', 'migration'] }).notNull(),
		state: text({ enum: ['running', 'completed', 'failed'] }).notNull(),
		startedAt: createdAt(),
		finishedAt: instant(),
		/** The instant whose state the backup holds. */
		snapshotAt: instant(),
		/** The data key, sealed under AUTH_SECRET. Empty unless the backup runs, and while a requested one has not begun. */
		sealedKey: text().notNull(),
		/** Raised by each step, so that a step that was given up can't write any more. */
		attempt: integer().notNull().default(0),
		/** How many steps began since the last one that got further. */
		failures: integer().notNull().default(0),
		/** When the sweep may send the next step again. */
		dueAt: instant().notNull(),
		/** How often this backup began again because the schema had changed. */
		restarts: integer().notNull().default(0),
		plan: text({ mode: 'json' }).$type<BackupPlan>(),
		/** The table that is read next, as an index into the plan, and its last row that was read. */
		tableIndex: integer().notNull().default(0),
		afterRowid: integer().notNull().default(0),
		/** The last change that was read. */
		changesSeq: integer().notNull().default(0),
		schemaHash: text(),
		tables: integer(),
		rows: integer(),
		sizeBytes: integer(),
		error: text(),
		/** When a restore was last tried, and why it failed. */
		drilledAt: instant(),
		drillError: text(),
		/** When a drill last succeeded, and how long its restore took; null if only the recipient can read the backup. */
		verifiedAt: instant(),
		restoreSeconds: integer(),
	},
	(t) => [
		uniqueIndex('backups_running').on(t.state).where(sql`state = 'running'`),
		index('backups_started').on(t.startedAt, t.id),
	],
)

/** Chunks of the running backup; afterwards its manifest lists them. */
export const backupChunks = sqliteTable(
	'backup_chunks',
	{
		backupId: text().notNull(),
		position: integer().notNull(),
		key: text().notNull(),
		sha256: text().notNull(),
		textSha256: text().notNull(),
		sizeBytes: integer().notNull(),
	},
	(t) => [primaryKey({ columns: [t.backupId, t.position] })],
)

/** Rows that were changed while a backup runs, written by its triggers. */
export const backupChanges = sqliteTable('backup_changes', {
	seq: integer().primaryKey({ autoIncrement: true }),
	source: text().notNull(),
	rowId: integer().notNull(),
})
