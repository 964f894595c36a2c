import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { NewAsset } from '#schema/contract/video/assets.ts'
import { createdAt, instant } from '../columns.ts'

/** Permissions to upload one file, which a server gives to a browser. The asset is created when the file is complete. */
export const directUploads = sqliteTable(
	'direct_uploads',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		/** The SHA-256 of the token in the URL. */
		tokenHash: text().notNull(),
		status: text({ enum: ['waiting', 'asset_created', 'cancelled', 'timed_out', 'errored'] }).notNull(),
		/** The id that the asset gets. The bytes are stored under it before the asset exists. */
		assetId: text().notNull(),
		maxBytes: integer({ mode: 'number' }).notNull(),
		/** Media types such as `video/*`; empty for any. */
		contentTypes: text({ mode: 'json' }).$type<readonly string[]>().notNull(),
		/** The web page that may upload; null if no page may. */
		corsOrigin: text(),
		newAsset: text({ mode: 'json' }).$type<NewAsset>().notNull(),
		errorCode: text(),
		errorMessage: text(),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
		/** null while the upload is waiting. */
		endedAt: instant(),
		/** When a sweep creates the asset of a complete file if no request has; null until the file is complete. */
		finishAt: instant(),
		/** The size of the largest file that a request has announced; null until the first byte is sent. */
		announcedBytes: integer({ mode: 'number' }),
	},
	(t) => [
		uniqueIndex('direct_uploads_token').on(t.tokenHash),
		index('direct_uploads_org').on(t.orgId, t.createdAt, t.id),
		index('direct_uploads_waiting').on(t.expiresAt).where(sql`status = 'waiting'`),
		index('direct_uploads_waiting_of_org').on(t.orgId, t.expiresAt).where(sql`status = 'waiting'`),
		// Covers the query that sums the files of an organization that are being uploaded.
		index('direct_uploads_announced')
			.on(t.orgId, t.announcedBytes)
			.where(sql`status = 'waiting' and announced_bytes is not null`),
		index('direct_uploads_unfinished').on(t.finishAt).where(sql`finish_at is not null`),
		index('direct_uploads_ended').on(t.endedAt).where(sql`ended_at is not null`),
	],
)
