import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AiStatus, AiStep } from '#schema/contract/video/assets.ts'
import { instant } from '../columns.ts'

/** What follows processing: one row per asset and step, from its latest run. */
export const aiSteps = sqliteTable(
	'ai_steps',
	{
		assetId: text().notNull(),
		step: text().$type<AiStep>().notNull(),
		orgId: text().notNull(),
		/** The job under whose files and tasks the step runs. */
		jobId: text().notNull(),
		status: text().$type<AiStatus>().notNull(),
		/** Why the step failed or was skipped, for the owner of the video. */
		reason: text(),
		/** Raised by each run, so that what an earlier run began changes nothing. */
		version: integer().notNull(),
		/** The requested language; null if none was. */
		language: text(),
		/** Whether the run may replace what a person edited. */
		isForced: integer({ mode: 'boolean' }).notNull(),
		/** Whether the end of the latest run was recorded as an event. */
		isAnnounced: integer({ mode: 'boolean' }).notNull(),
		startedAt: instant().notNull(),
		updatedAt: instant().notNull(),
	},
	(t) => [
		primaryKey({ columns: [t.assetId, t.step] }),
		index('ai_steps_open').on(t.updatedAt).where(sql`status in ('pending', 'processing')`),
	],
)
