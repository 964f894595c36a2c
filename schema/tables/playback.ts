import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from './columns.ts'

/** What viewers write under a video. They need no account, so the name is whatever they said. */
export const comments = sqliteTable(
	'comments',
	{
		id: text().primaryKey(),
		assetId: text().notNull(),
		authorName: text().notNull(),
		body: text().notNull(),
		timestampSec: real(),
		/** Set by the organization; viewers do not see it then. */
		hiddenAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [index('comments_asset').on(t.assetId, t.createdAt, t.id)],
)

export const reactions = sqliteTable(
	'reactions',
	{
		assetId: text().notNull(),
		sessionId: text().notNull(),
		emoji: text().notNull(),
	},
	(t) => [primaryKey({ columns: [t.assetId, t.sessionId, t.emoji] })],
)

/** Kept in the same batch as what they count, so that a video with a million reactions is as quick as one with none. */
export const reactionCounts = sqliteTable(
	'reaction_counts',
	{
		assetId: text().notNull(),
		emoji: text().notNull(),
		count: integer().notNull(),
	},
	(t) => [primaryKey({ columns: [t.assetId, t.emoji] })],
)
