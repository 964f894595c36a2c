import { type SQL, sql } from 'drizzle-orm'
import { type AudioConfig, standardAudioConfig } from '#schema/contract/video/audio.ts'
import { hasStorageRoom, requireStorage } from '../../accounts/orgs/storage.ts'
import { requireUnchanged } from '../../http/entity-tag.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import {
	announceObjectStatement,
	isAnnounced,
	keepAnnouncedStatement,
} from '../../platform/storage/announced-objects.ts'
import { deleteCachedPlayable } from './playable/playable.ts'
import { searchStore } from './search/search-store.ts'
import { canMove } from './states.ts'
import {
	type AssetChange,
	type AssetRef,
	type AssetRow,
	type AudioConfigChange,
	assetStore,
	awaitsSource,
	pickEditableColumns,
} from './store.ts'

export const durationUnknownError = () =>
	new AppError('conflict', 'the duration of the video is not known yet; try again after processing')

export const assetNotFoundError = () => notFoundError('asset')

export const toEventPayload = ({ id, playbackId, title }: Pick<AssetRow, 'id' | 'playbackId' | 'title'>) => ({
	assetId: id,
	playbackId,
	title,
})

export const findAsset = (
	{ db }: Pick<Deps, 'db'>,
	orgId: string,
	id: string,
): Promise<AssetRow | undefined> => assetStore(db).find(orgId, id)

/** Returns the reference of the asset in a presigned URL. */
export async function getAssetByUrl({ db }: Pick<Deps, 'db'>, id: string): Promise<AssetRef> {
	const orgId = await assetStore(db).findOrgId(id)
	if (orgId === undefined) throw assetNotFoundError()
	return { orgId, id }
}

export async function getAsset(deps: Pick<Deps, 'db'>, orgId: string, id: string): Promise<AssetRow> {
	const row = await findAsset(deps, orgId, id)
	if (!row) throw assetNotFoundError()
	return row
}

/** Returns an asset's thumbnail in any status, and its visibility. */
export async function findPicture(deps: Deps, playbackId: string) {
	const row = await assetStore(deps.db).findPicture(playbackId)
	if (!row) throw new AppError('not_found', 'not found')
	return row
}

export const sourceExistsError = () => new AppError('conflict', 'this asset already has a source')

export const receiveSourceUrlStatement = ({ db, now }: Deps, asset: AssetRef, sourceUrl: string) =>
	assetStore(db).moveStatement(asset, 'receiveSource', { sourceUrl }, now)

/** Sets a URL as the source. Only one of several concurrent calls succeeds. The size is unknown until the fetch. */
export async function receiveSourceUrl(deps: Deps, asset: AssetRow, sourceUrl: string): Promise<void> {
	const { sourceReceived } = await batch(deps.db, {
		sourceReceived: receiveSourceUrlStatement(deps, asset, sourceUrl),
		uploadRecorded: recordUploadedStatement(deps, asset),
	})
	if (sourceReceived.length === 0) {
		await getAsset(deps, asset.orgId, asset.id)
		throw sourceExistsError()
	}
}

/** Announces an object before it is stored as the source. Throws if the asset already has a source. */
export async function announceSource(
	deps: Pick<Deps, 'db'>,
	asset: AssetRef,
	sourceKey: string,
	sweepAt: number,
): Promise<void> {
	const announced = await announceObjectStatement(deps.db, 'vault', sourceKey, sweepAt, awaitsSource(asset))
	if (announced.length > 0) return
	await getAsset(deps, asset.orgId, asset.id)
	throw sourceExistsError()
}

type StoredSource = { sourceKey: string; sourceEtag: string; sourceSizeBytes: number }

/**
 * Sets a stored object of the vault as the source, as `receiveSourceUrl` does with a URL. The object must have been
 * announced (`announceSource`). All sources of an organization together stay within the limit of its tier.
 */
export async function receiveAnnounced(deps: Deps, asset: AssetRow, source: StoredSource): Promise<void> {
	const { db, now } = deps
	const { id, orgId } = asset
	const { sourceKey, sourceSizeBytes } = source
	const condition = sql`${isAnnounced('vault', sourceKey, now)} and ${hasStorageRoom(orgId, sourceSizeBytes, now)}`
	const { sourceReceived } = await batch(db, {
		sourceReceived: assetStore(db).moveStatement(
			asset,
			'receiveSource',
			{ ...source, sourceReceivedAt: now },
			now,
			condition,
		),
		objectKept: keepAnnouncedStatement(db, 'vault', sourceKey),
		uploadRecorded: recordUploadedStatement(deps, asset),
	})
	if (sourceReceived.length === 0) {
		const { status } = await getAsset(deps, orgId, id)
		if (!canMove('receiveSource', status)) throw sourceExistsError()
		await requireStorage(deps, orgId, sourceSizeBytes, hasStorageRoom)
		throw new AppError('gone', 'the upload expired; start a new one')
	}
}

/** Says whether a follower of the event is to process the asset. */
export const toUploadPayload = (asset: Uploaded) => ({
	...toEventPayload(asset),
	...(asset.processWhenUploaded && { process: 'whenUploaded' as const }),
})

type Uploaded = Pick<AssetRow, 'id' | 'orgId' | 'playbackId' | 'title' | 'processWhenUploaded'>

/** Without a condition, this statement must directly follow the one that makes the asset `uploaded`. */
export function recordUploadedStatement({ work }: Deps, asset: Uploaded, condition?: SQL) {
	const event = { type: 'asset.uploaded', orgId: asset.orgId, payload: toUploadPayload(asset) } as const
	return condition
		? recordEventIfStatement(work, event, condition)
		: recordEventIfChangedStatement(work, event)
}

/** Changes the audio options of the next processing. */
export async function updateAudioConfig(
	{ db, now }: Deps,
	asset: AssetRef,
	change: AudioConfigChange,
): Promise<AudioConfig> {
	const row = await assetStore(db).changeAudioConfig(asset, change, now)
	if (!row) throw assetNotFoundError()
	return resolveAudioConfig(row)
}

export const resolveAudioConfig = ({ audioConfig }: Pick<AssetRow, 'audioConfig'>): AudioConfig =>
	audioConfig ?? standardAudioConfig

/** With `tags`, changes only an asset that still has one of these entity tags. */
export async function updateAsset(
	deps: Deps,
	orgId: string,
	id: string,
	patch: AssetChange,
	tags: readonly string[] | null = null,
): Promise<AssetRow> {
	if (patch.visibility === 'signed') requireTokens(deps, 'playback tokens')
	const { db, now } = deps
	const store = assetStore(db)
	const before = tags && pickEditableColumns(await getAsset(deps, orgId, id))
	if (before) await requireUnchanged(tags, before)
	const {
		assetUpdated: [row],
	} = await batch(db, {
		assetUpdated: store.updateStatement(orgId, id, patch, now, before ?? undefined),
		searchTermsUpdated: searchStore(db).updateStatements({ id, orgId }, patch),
	})
	if (row) {
		await deleteCachedPlayable(row.playbackId, row.collectionId)
		return row
	}
	if (tags) await requireUnchanged(tags, pickEditableColumns(await getAsset(deps, orgId, id)))
	if (patch.collectionId && (await store.find(orgId, id))) throw notFoundError('collection')
	throw assetNotFoundError()
}

/**
 * Revokes the tokens of every audience, including those in issued URLs. Other locations accept them for 60 s more.
 */
export async function revokePlaybackTokens({ db, work }: Deps, orgId: string, id: string): Promise<void> {
	const row = await assetStore(db).raisePlaybackTokenVersion(work, { orgId, id })
	if (!row) throw assetNotFoundError()
	await deleteCachedPlayable(row.playbackId)
}
