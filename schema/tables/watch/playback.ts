import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../columns.ts'

/** Comments of viewers on a video. Viewers need no account, so they choose any name. */
export const comments = sqliteTable(
	'comments',
	{
		id: text().primaryKey(),
		assetId: text().notNull(),
		authorName: text().notNull(),
		body: text().notNull(),
		timestampSec: real(),
		/** Set if the organization hid the comment from viewers. */
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

/** Updated in the batch of each reaction, so that a million reactions cost no more to read than one. */
export const reactionCounts = sqliteTable(
	'reaction_counts',
	{
		assetId: text().notNull(),
		emoji: text().notNull(),
		count: integer().notNull(),
	},
	(t) => [primaryKey({ columns: [t.assetId, t.emoji] })],
)
