import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { PublicSettings, ThumbnailFrame } from '#schema/contract/video/assets.ts'
import type { AudioConfig } from '#schema/contract/video/audio.ts'
import type { ProcessOptions } from '#schema/contract/video/processing/process-options.ts'
import type { PlaybackRecord } from '#schema/contract/watch/playback.ts'
import { createdAt, instant } from '../columns.ts'

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

/** The task makes the image; while it runs, the status is `processing`. */
export type StoredThumbnailFrame = ThumbnailFrame & { taskId: string }

const assetColumns = () => ({
	id: text().primaryKey(),
	orgId: text().notNull(),
	title: text().notNull(),
	description: text(),
	status: text({ enum: ['created', 'uploaded', 'queued', 'processing', 'ready', 'error'] }).notNull(),
	playbackId: text().notNull(),
	collectionId: text(),
	/** null until the source was inspected. */
	durationSec: real(),
	errorMessage: text(),
	visibility: text({ enum: ['public', 'unlisted', 'signed'] })
		.notNull()
		.default('public'),
	/** Part of each playback token. Raising it revokes all tokens of the asset. */
	playbackTokenVersion: integer({ mode: 'number' }).notNull().default(0),
	metadata: text({ mode: 'json' }).$type<Record<string, string>>().notNull(),
	publicSettings: text({ mode: 'json' }).$type<PublicSettings>().notNull(),
	/** The location of the source: an object in the vault, of which only this version is read, or an external URL. */
	sourceKey: text(),
	sourceEtag: text(),
	sourceSizeBytes: integer({ mode: 'number' }),
	sourceUrl: text(),
	/** When the source was stored; null for sources of before this column existed. */
	sourceReceivedAt: instant(),
	/** Objects in the media bucket: the custom thumbnail, and a frame of the video. */
	customThumbnailKey: text(),
	frameKey: text(),
	/** A ThumbHash of `frameKey` in base64. */
	placeholder: text(),
	/** The displayed size of the largest rendition; null for audio without video. */
	width: integer({ mode: 'number' }),
	height: integer({ mode: 'number' }),
	/** Objects in the media bucket: the animated preview, and the WebVTT file that lists thumbnails for seeking. */
	previewKey: text(),
	storyboardKey: text(),
	/** An object in the media bucket: the master playlist, which a player reads first. */
	manifestKey: text(),
	/** The properties of the audio; null without sound. */
	audioTrack: text({ mode: 'json' }).$type<PlaybackRecord['audio']>(),
	/**
	 * Objects in the media bucket: the transcript (JSON), and the subtitles made from it (WebVTT; the SRT file has the
	 * same name). Each version has keys of its own. Neither key leads to the other.
	 */
	transcriptKey: text(),
	subtitlesKey: text(),
	/** A language tag; null if it is unknown. */
	transcriptLanguage: text(),
	/**
	 * An object in the media bucket: the chapters (JSON); null for none. Each version has a key of its own.
	 * `chaptersEditedAt` is set if a person wrote or removed them; otherwise they were made from the transcript at
	 * `chaptersTranscriptKey`.
	 */
	chaptersKey: text(),
	chaptersEditedAt: instant(),
	chaptersTranscriptKey: text(),
	/** Who made or removed the transcript. null for those of before this column existed: people made them. */
	transcriptBy: text({ enum: ['person', 'engine'] }),
	/** Objects in the vault that processing creates: playback audio, audio for speech recognition, the best MP4. */
	audioKey: text(),
	aiAudioKey: text(),
	downloadKey: text(),
	/** The size of the files that processing created, in both buckets. The size of the source has its own column. */
	mediaBytes: integer({ mode: 'number' }).notNull().default(0),
	/** The audio settings for the next processing; null for the defaults. */
	audioConfig: text({ mode: 'json' }).$type<AudioConfig>(),
	createdAt: createdAt(),
	updatedAt: instant().notNull(),
	/** Options for processing as soon as the source is stored; null if processing waits for a request or has started. */
	processWhenUploaded: text({ mode: 'json' }).$type<ProcessOptions>(),
	/** Names the row of `asset_error_groups` with the messages that are like `errorMessage`; null without an error. */
	errorFingerprint: text(),
	/** The last frame that was requested as the custom thumbnail; null if an upload or a removal followed. */
	thumbnailFrame: text({ mode: 'json' }).$type<StoredThumbnailFrame>(),
})

/** Videos and audio recordings. The row exists before the upload and is removed with the asset. */
export const assets = sqliteTable('assets', assetColumns(), (t) => [
	uniqueIndex('assets_playback').on(t.playbackId),
	index('assets_org').on(t.orgId, t.createdAt, t.id),
	index('assets_status').on(t.orgId, t.status, t.createdAt, t.id),
	// The sorts of the library (edge/video/assets/library/sorts.ts). SQLite seeks in an index of an expression by one
	// value only, so the id is a part of it. A comma would be cut in two by the generator of migrations.
	index('assets_updated').on(t.orgId, t.updatedAt, t.id),
	index('assets_title').on(t.orgId, sql`(title || char(9) || id) collate nocase`),
	index('assets_duration').on(
		t.orgId,
		sql`(1000000000000000 + case when duration_sec is null then 0 else cast(duration_sec * 1000 as integer) end) || id`,
	),
	index('assets_size').on(
		t.orgId,
		sql`(1000000000000000 + case when source_size_bytes is null then 0 else source_size_bytes end) || id`,
	),
	// Also counts the assets of a collection, and finds them when the collection is deleted.
	index('assets_collection').on(t.orgId, t.collectionId, t.createdAt, t.id),
	// Covers the query that sums an organization's storage.
	index('assets_storage').on(t.orgId, t.sourceSizeBytes, t.mediaBytes),
	// Finds the newest public videos.
	index('assets_public').on(t.createdAt, t.id).where(sql`visibility = 'public' and status = 'ready'`),
	index('assets_error').on(t.errorFingerprint, t.createdAt, t.id).where(sql`error_fingerprint is not null`),
])

/**
 * Assets in the trash. A row is in `assets` or here, so no query of the library or for viewers can find trashed assets,
 * and the indexes of the library don't grow with the trash.
 */
export const trashedAssets = sqliteTable(
	'trashed_assets',
	{
		...assetColumns(),
		trashedAt: instant().notNull(),
		/** When the asset is deleted for good. */
		deleteAt: instant().notNull(),
		/** When the deletion began; from then on, the asset can't be restored. */
		deletingAt: instant(),
	},
	(t) => [
		uniqueIndex('trashed_assets_playback').on(t.playbackId),
		index('trashed_assets_org').on(t.orgId, t.trashedAt, t.id),
		index('trashed_assets_due').on(t.deleteAt, t.id),
		// Covers the query that sums an organization's storage.
		index('trashed_assets_storage').on(t.orgId, t.sourceSizeBytes, t.mediaBytes),
	],
)

/** Error messages of assets that differ only in numbers, ids, names and the like. */
export const assetErrorGroups = sqliteTable(
	'asset_error_groups',
	{
		fingerprint: text().primaryKey(),
		/** What the messages have in common. */
		message: text().notNull(),
		/** How often processing has failed with such a message. */
		occurrences: integer().notNull(),
		firstSeenAt: instant().notNull(),
		lastSeenAt: instant().notNull(),
	},
	(t) => [index('asset_error_groups_seen').on(t.lastSeenAt, t.fingerprint)],
)

/** One row per searchable word of an asset. Ordinary rows, because D1 can't export a database with virtual tables. */
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

/** One row per distinct word of a transcript. Apart from `asset_terms`, whose prefixes would match too many of these. */
export const spokenTerms = sqliteTable(
	'spoken_terms',
	{
		orgId: text().notNull(),
		term: text().notNull(),
		assetId: text().notNull(),
	},
	(t) => [
		primaryKey({ columns: [t.orgId, t.term, t.assetId] }),
		index('spoken_terms_asset').on(t.assetId, t.term),
	],
)

/** The folded texts of an asset, for the substring search when no words match. */
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
