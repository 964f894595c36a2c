import { and, eq, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { updateAsset } from '#schema/contract/video/assets.ts'
import { type AudioConfig, standardAudioConfig } from '#schema/contract/video/audio.ts'
import { orgs } from '#schema/tables/accounts/identity.ts'
import type { assetSubtitles } from '#schema/tables/ai/subtitles.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { type ViewerSettingsRow, viewerSettings } from '../../accounts/orgs/viewer-settings.ts'
import { runAudited } from '../../platform/audit/audit.ts'
import type { Db } from '../../platform/database/database.ts'
import { hasValues } from '../../platform/database/has-values.ts'
import { insertSelect, type SelectedColumns } from '../../platform/database/insert-select.ts'
import { recordPurgesStatement } from '../../platform/storage/storage-purge.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { assetMoves, type MoveName } from './states.ts'
import { selectAssetPrefixes } from './storage-keys.ts'

export type AssetRow = typeof assets.$inferSelect

/** New column values; some are SQL expressions. */
type AssetValues = { [K in keyof AssetRow]?: AssetRow[K] | SQL }

export type AssetRef = Pick<AssetRow, 'orgId' | 'id'>

export type AudioConfigChange = { [K in keyof AudioConfig]?: AudioConfig[K] | undefined }

export type AssetChange = z.output<(typeof updateAsset)['body']>

const playable = {
	id: assets.id,
	orgId: assets.orgId,
	playbackId: assets.playbackId,
	title: assets.title,
	description: assets.description,
	durationSec: assets.durationSec,
	visibility: assets.visibility,
	playbackTokenVersion: assets.playbackTokenVersion,
	publicSettings: assets.publicSettings,
	customThumbnailKey: assets.customThumbnailKey,
	frameKey: assets.frameKey,
	placeholder: assets.placeholder,
	width: assets.width,
	height: assets.height,
	previewKey: assets.previewKey,
	storyboardKey: assets.storyboardKey,
	manifestKey: assets.manifestKey,
	audioTrack: assets.audioTrack,
	transcriptKey: assets.transcriptKey,
	subtitlesKey: assets.subtitlesKey,
	transcriptLanguage: assets.transcriptLanguage,
	chaptersKey: assets.chaptersKey,
	chaptersEditedAt: assets.chaptersEditedAt,
	audioKey: assets.audioKey,
	downloadKey: assets.downloadKey,
	sourceKey: assets.sourceKey,
	sourceEtag: assets.sourceEtag,
	collectionId: assets.collectionId,
	createdAt: assets.createdAt,
}

/** The columns that responses to viewers need. */
export type PlayableRow = Pick<AssetRow, keyof typeof playable> & {
	manifestKey: string
	org: ViewerSettingsRow
	uploadedSubtitles: UploadedSubtitles[]
}

const subtitleColumns = ['language', 'key', 'source'] as const
export type UploadedSubtitles = Pick<typeof assetSubtitles.$inferSelect, (typeof subtitleColumns)[number]>

const subtitlePairs = sql.raw(subtitleColumns.map((name) => `'${name}', made.${name}`).join(', '))
const uploadedSubtitles = sql<string>`(
	select json_group_array(json_object(${subtitlePairs})) from asset_subtitles as made
	where made.asset_id = ${assets.id}
)`

/** The names of everything in a `PlayableRow`. */
export const playableColumns = [playable, viewerSettings].flatMap(Object.keys).concat(subtitleColumns)

const own = (orgId: string, id: string) => and(eq(assets.id, id), eq(assets.orgId, orgId))

/** The values of the fields that an update takes. */
export const pickEditableColumns = ({
	title,
	description,
	visibility,
	publicSettings,
	metadata,
	collectionId,
}: EditableState) => ({ title, description, visibility, publicSettings, metadata, collectionId })

type EditableState = Pick<
	AssetRow,
	'title' | 'description' | 'visibility' | 'publicSettings' | 'metadata' | 'collectionId'
>

/** SQL condition: the asset has no source yet. */
export const awaitsSource = ({ orgId, id }: AssetRef): SQL =>
	sql`exists (
		select 1 from ${assets}
		where ${own(orgId, id)} and ${inArray(assets.status, [...assetMoves.receiveSource.from])}
	)`

/** SQL condition: no frame is requested as the thumbnail. */
export const hasNoFrameRequest = (id: string): SQL =>
	sql`exists (select 1 from assets as shown where shown.id = ${id} and shown.thumbnail_frame is null)`

/** SQL condition: the collection belongs to the organization. */
export const ownsCollection = (orgId: string, collectionId: string): SQL =>
	sql`exists (${selectCollection(orgId, collectionId)})`

/** Returns a query for the id of a collection, if it belongs to the organization. */
export const selectCollection = (orgId: string, collectionId: string): SQL =>
	sql`select kept.id from collections as kept where kept.id = ${collectionId} and kept.org_id = ${orgId}`

export const assetStore = (db: Db) => ({
	/** Inserts the row only if `condition` is true. */
	insertStatement(row: SelectedColumns<typeof assets>, condition: SQL = sql`1`) {
		return insertSelect(db, assets, row, sql`where ${condition}`).returning({ id: assets.id })
	},

	async find(orgId: string, id: string): Promise<AssetRow | undefined> {
		const [row] = await db.select().from(assets).where(own(orgId, id))
		return row
	},

	/** For a presigned URL, which names an asset and no organization. */
	async findOrgId(id: string): Promise<string | undefined> {
		const [row] = await db.select({ orgId: assets.orgId }).from(assets).where(eq(assets.id, id))
		return row?.orgId
	},

	/**
	 * Merges settings into the stored ones. Changes nothing unless the collection belongs to the organization, and the asset
	 * has the values of `before`.
	 */
	updateStatement(
		orgId: string,
		id: string,
		{ publicSettings, ...change }: AssetChange,
		now: number,
		before?: EditableState,
	) {
		const { collectionId } = change
		return db
			.update(assets)
			.set({
				...change,
				...(publicSettings && {
					publicSettings: sql`json_patch(${assets.publicSettings}, ${JSON.stringify(publicSettings)})`,
				}),
				updatedAt: now,
			})
			.where(
				and(
					own(orgId, id),
					collectionId ? ownsCollection(orgId, collectionId) : undefined,
					before && hasValues(assets, before),
				),
			)
			.returning()
	},

	/** The only statement that changes the status of an asset. */
	moveStatement({ orgId, id }: AssetRef, name: MoveName, values: AssetValues, now: number, condition?: SQL) {
		const { from, to } = assetMoves[name]
		return db
			.update(assets)
			.set({ ...values, status: to, updatedAt: now })
			.where(and(own(orgId, id), inArray(assets.status, [...from]), condition))
			.returning()
	},

	/** Makes a fetched file in the vault the source. */
	recordSourceStatement(
		{ orgId, id }: AssetRef,
		source: { sourceKey: string; sourceEtag: string; sourceSizeBytes: number },
		now: number,
		condition: SQL,
	) {
		return db
			.update(assets)
			.set({ ...source, updatedAt: now })
			.where(and(own(orgId, id), isNull(assets.sourceKey), condition))
			.returning({ id: assets.id })
	},

	recordDurationStatement({ orgId, id }: AssetRef, durationSec: number, condition: SQL) {
		return db
			.update(assets)
			.set({ durationSec })
			.where(and(own(orgId, id), condition))
	},

	/** Counts the bytes of a file once, even if it is reported twice. */
	addDownloadStatement(
		{ orgId, id }: AssetRef,
		{ key, sizeBytes }: { key: string; sizeBytes: number },
		now: number,
		condition?: SQL,
	) {
		return db
			.update(assets)
			.set({ downloadKey: key, mediaBytes: sql`${assets.mediaBytes} + ${sizeBytes}`, updatedAt: now })
			.where(
				and(own(orgId, id), eq(assets.status, 'ready'), sql`${assets.downloadKey} is not ${key}`, condition),
			)
			.returning()
	},

	/** Counts the bytes of another file of the asset. */
	addBytesStatement({ orgId, id }: AssetRef, sizeBytes: number, condition: SQL) {
		return db
			.update(assets)
			.set({ mediaBytes: sql`${assets.mediaBytes} + ${sizeBytes}` })
			.where(and(own(orgId, id), condition))
			.returning({ id: assets.id })
	},

	/** Changes only the given fields; the others keep their value or the default. */
	async changeAudioConfig(
		{ orgId, id }: AssetRef,
		change: AudioConfigChange,
		now: number,
	): Promise<AssetRow | undefined> {
		const before = sql`coalesce(${assets.audioConfig}, ${JSON.stringify(standardAudioConfig)})`
		const [row] = await db
			.update(assets)
			.set({ audioConfig: sql`json_patch(${before}, ${JSON.stringify(change)})`, updatedAt: now })
			.where(own(orgId, id))
			.returning()
		return row
	},

	async raisePlaybackTokenVersion(work: UnitOfWork, { orgId, id }: AssetRef) {
		const [row] = await runAudited(
			work,
			db
				.update(assets)
				.set({ playbackTokenVersion: sql`${assets.playbackTokenVersion} + 1`, updatedAt: work.now })
				.where(own(orgId, id))
				.returning({ playbackId: assets.playbackId }),
			{ action: 'playback_tokens.revoked', orgId, target: { kind: 'asset', id } },
		)
		return row
	},

	/** Must precede `deleteStatement` in the batch, since it reads the row. */
	purgeStatement(orgId: string, id: string, now: number) {
		return recordPurgesStatement(db, selectAssetPrefixes(sql`${own(orgId, id)}`), now)
	},

	deleteStatement(orgId: string, id: string) {
		return db.delete(assets).where(own(orgId, id)).returning()
	},

	/** Replaces the thumbnail only if it is still the one in `asset`. Ends a request for a frame. */
	replaceThumbnailStatement({ id, orgId, customThumbnailKey }: AssetRow, key: string | null, now: number) {
		return db
			.update(assets)
			.set({ customThumbnailKey: key, thumbnailFrame: null, updatedAt: now })
			.where(and(own(orgId, id), sql`${assets.customThumbnailKey} is ${customThumbnailKey}`))
			.returning()
	},

	async findPlayable(playbackId: string): Promise<PlayableRow | undefined> {
		const [row] = await db
			// The condition excludes null.
			.select({
				...playable,
				manifestKey: sql<string>`${assets.manifestKey}`,
				org: viewerSettings,
				uploadedSubtitles,
			})
			.from(assets)
			.innerJoin(orgs, eq(orgs.id, assets.orgId))
			.where(
				and(
					eq(assets.playbackId, playbackId),
					eq(assets.status, 'ready'),
					isNotNull(assets.manifestKey),
					isNull(orgs.suspendedAt),
				),
			)
		return row && { ...row, uploadedSubtitles: JSON.parse(row.uploadedSubtitles) as UploadedSubtitles[] }
	},

	/** Returns what serving a thumbnail requires, in any status of the asset. */
	async findPicture(playbackId: string) {
		const [row] = await db
			.select({
				customThumbnailKey: assets.customThumbnailKey,
				frameKey: assets.frameKey,
				visibility: assets.visibility,
				playbackTokenVersion: assets.playbackTokenVersion,
			})
			.from(assets)
			.innerJoin(orgs, eq(orgs.id, assets.orgId))
			.where(and(eq(assets.playbackId, playbackId), isNull(orgs.suspendedAt)))
		return row
	},
})
