import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { HighlightReason } from '#schema/contract/video/assets.ts'
import { createdAt, instant } from '../columns.ts'

/** Parts of an asset that stand out, each with a clip. */
export const highlights = sqliteTable(
	'highlights',
	{
		id: text().primaryKey(),
		assetId: text().notNull(),
		orgId: text().notNull(),
		title: text().notNull(),
		description: text().notNull(),
		startMs: integer().notNull(),
		endMs: integer().notNull(),
		/** By what is said. The score that people see also counts what viewers watch again. */
		score: real().notNull(),
		reasons: text({ mode: 'json' }).$type<HighlightReason[]>().notNull(),
		/** How much more it is rewatched than the rest, in standard deviations; null without enough data. */
		rewatch: real(),
		/** When `rewatch` was last computed. */
		rankedAt: instant(),
		/** The state of the clip. A deleted row remembers that a person did not want it. */
		status: text({ enum: ['processing', 'ready', 'failed', 'deleted'] }).notNull(),
		/** The task that makes the clip. */
		taskId: text().notNull(),
		/** The folder of the clip in the media bucket, with a slash at the end; null until it is made. */
		clipFolder: text(),
		clipBytes: integer({ mode: 'number' }).notNull().default(0),
		hasPoster: integer({ mode: 'boolean' }).notNull().default(false),
		/** When a person changed or deleted it. */
		editedAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [index('highlights_asset').on(t.assetId, t.startMs), uniqueIndex('highlights_task').on(t.taskId)],
)
