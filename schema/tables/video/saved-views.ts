import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { AssetSort } from '#schema/contract/video/assets.ts'
import type { AssetFilterBody } from '#schema/contract/video/bulk.ts'
import { createdAt, instant } from '../columns.ts'

/** Named filters and sorts of an organization's list of assets. */
export const savedViews = sqliteTable(
	'saved_views',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		name: text().notNull(),
		/** Null selects all assets. */
		filter: text({ mode: 'json' }).$type<AssetFilterBody>(),
		sort: text().$type<AssetSort>().notNull(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
	},
	(t) => [index('saved_views_org').on(t.orgId, t.id)],
)
