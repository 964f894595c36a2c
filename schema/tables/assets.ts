import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { PublicSettings } from '#schema/contract/video/assets.ts'
import type { AudioConfig } from '#schema/contract/video/audio.ts'
import type { PlaybackRecord } from '#schema/contract/video/playback.ts'
import { createdAt, instant } from './columns.ts'

export const collections = sqliteTable(
	'collections',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		name: text().notNull(),
		color: text().notNull(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
	},
	(t) => [index('collections_org').on(t.orgId, t.createdAt, t.id)],
)

/** Videos, from the moment somebody wants to upload one. Deleting one removes its row. */
export const assets = sqliteTable(
	'assets',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		title: text().notNull(),
		description: text(),
		status: text({ enum: ['created', 'uploaded', 'queued', 'processing', 'ready', 'error'] }).notNull(),
		playbackId: text().notNull(),
		collectionId: text(),
		/** null until somebody has looked into the source. */
		durationSec: real(),
		errorMessage: text(),
		visibility: text({ enum: ['public', 'unlisted', 'signed'] })
			.notNull()
			.default('public'),
		/** Playback tokens carry it. Raising it revokes all of them. */
		playbackTokenVersion: integer({ mode: 'number' }).notNull().default(0),
		metadata: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
		publicSettings: text({ mode: 'json' }).$type<PublicSettings>().notNull(),
		/** Where the source is: an object of the vault, of which only this version is read, or an address elsewhere. */
		sourceKey: text(),
		sourceEtag: text(),
		sourceSizeBytes: integer({ mode: 'number' }),
		sourceUrl: text(),
		/** Objects of the media bucket: the picture somebody chose, and the frame that was made of the video. */
		customThumbnailKey: text(),
		frameKey: text(),
		/** A few moments of it, moving; and the WebVTT that names small pictures along the time line. */
		previewKey: text(),
		storyboardKey: text(),
		/** Also of the media bucket: what a player begins with. */
		manifestKey: text(),
		/** What it sounds like; null for one without sound. */
		audioTrack: text({ mode: 'json' }).$type<PlaybackRecord['audio']>(),
		/** Objects of the vault that processing made: the playback audio, the audio for speech recognition, the best MP4. */
		audioKey: text(),
		aiAudioKey: text(),
		downloadKey: text(),
		/** What processing made and keeps, in both buckets; the source, uploaded or fetched, has a column of its own. */
		mediaBytes: integer({ mode: 'number' }).notNull().default(0),
		/** What the next processing is to make; null for the standard. */
		audioConfig: text({ mode: 'json' }).$type<AudioConfig>(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
	},
	(t) => [
		uniqueIndex('assets_playback').on(t.playbackId),
		index('assets_org').on(t.orgId, t.createdAt, t.id),
		index('assets_status').on(t.orgId, t.status, t.createdAt, t.id),
		// Also counts the videos of a collection, and finds those that lose it.
		index('assets_collection').on(t.orgId, t.collectionId, t.createdAt, t.id),
		// Holds all that the sum of an organization's storage is made of.
		index('assets_storage').on(t.orgId, t.sourceSizeBytes, t.mediaBytes),
	],
)

/** A row for each word an asset is found by. Ordinary rows, since D1 exports no database with virtual tables. */
export const assetTerms = sqliteTable(
	'asset_terms',
	{
		orgId: text().notNull(),
		term: text().notNull(),
		assetId: text().notNull(),
		field: text({ enum: ['title', 'description'] }).notNull(),
	},
	(t) => [
		primaryKey({ columns: [t.orgId, t.term, t.assetId, t.field] }),
		index('asset_terms_asset').on(t.assetId, t.term),
	],
)

/** The texts of an asset as they are compared, for what is not found by words. */
export const assetSearch = sqliteTable(
	'asset_search',
	{
		assetId: text().primaryKey(),
		orgId: text().notNull(),
		title: text().notNull(),
		description: text().notNull(),
	},
	(t) => [index('asset_search_org').on(t.orgId)],
)
