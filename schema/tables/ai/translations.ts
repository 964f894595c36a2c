import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { instant } from '../columns.ts'

/** The latest translation of the subtitles of an asset into each language, by a language model. */
export const subtitleTranslations = sqliteTable(
	'subtitle_translations',
	{
		assetId: text().notNull(),
		/** The language that it is translated into, a canonical tag. */
		language: text().notNull(),
		orgId: text().notNull(),
		/** The language that it is translated from, and the WebVTT file with its subtitles. */
		sourceLanguage: text().notNull(),
		sourceKey: text().notNull(),
		status: text({ enum: ['pending', 'processing', 'completed', 'failed'] }).notNull(),
		/** Why it waits or failed, for the owner of the video. */
		reason: text(),
		/** The uploaded file that it may replace; null if none. */
		replaceableKey: text(),
		/** Raised by each request and each lease, so that whoever lost the lease changes nothing. */
		version: integer().notNull(),
		/** Null until the subtitles were read. */
		cues: integer(),
		doneCues: integer().notNull().default(0),
		/** How often in a row it was taken without a batch that was finished. */
		retries: integer().notNull().default(0),
		/** When it may be taken: at once, after a wait, or when its lease ends. Null once it ended. */
		dueAt: instant(),
		updatedAt: instant().notNull(),
	},
	(t) => [
		primaryKey({ columns: [t.assetId, t.language] }),
		index('subtitle_translations_due').on(t.dueAt).where(sql`due_at is not null`),
		index('subtitle_translations_org').on(t.orgId),
	],
)

/** The strings of a translation that are finished, so that no call is paid twice. Deleted when the translation ends. */
export const translatedBatches = sqliteTable(
	'translated_batches',
	{
		assetId: text().notNull(),
		language: text().notNull(),
		/** The index of its first subtitle. */
		firstCue: integer().notNull(),
		texts: text({ mode: 'json' }).$type<string[]>().notNull(),
	},
	(t) => [primaryKey({ columns: [t.assetId, t.language, t.firstCue] })],
)
