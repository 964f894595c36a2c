import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { instant } from '../columns.ts'

/** Subtitles that somebody uploaded or that were translated, at most one file for each language of an asset. */
export const assetSubtitles = sqliteTable(
	'asset_subtitles',
	{
		assetId: text().notNull(),
		/** A canonical language tag. */
		language: text().notNull(),
		/** The WebVTT file in the media bucket; the SRT file has the same name. Each version has keys of its own. */
		key: text().notNull(),
		source: text({ enum: ['upload', 'translation'] })
			.notNull()
			.default('upload'),
		updatedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.assetId, t.language] })],
)
