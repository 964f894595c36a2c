import { standardPublicSettings } from '#schema/contract/assets.ts'
import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { newId, randomBase62 } from '../platform/ids.ts'
import { recordEvent, recordEventIfChanged, relayEvents } from '../platform/outbox.ts'
import { isAnnounced, keepAnnounced, purgeStorage } from '../platform/storage-purge.ts'
import { forgetPlayable } from './playable.ts'
import { searchStore } from './search-store.ts'
import { canMove } from './states.ts'
import { prefixesOf } from './storage-keys.ts'
import { type AssetChange, type AssetRow, assetStore } from './store.ts'

const PLAYBACK_ID_LENGTH = 22

export const noAsset = () => new AppError('not_found', 'no such asset')

export const eventPayload = ({ id, playbackId, title }: AssetRow) => ({ assetId: id, playbackId, title })

export async function createAsset(
	deps: Deps,
	orgId: string,
	input: { title: string; metadata?: Record<string, string> | undefined },
): Promise<AssetRow> {
	const { db, now } = deps
	const row: AssetRow = {
		id: newId('ast', now),
		orgId,
		title: input.title,
		description: null,
		status: 'created',
		playbackId: randomBase62(PLAYBACK_ID_LENGTH),
		collectionId: null,
		durationSec: null,
		errorMessage: null,
		visibility: 'public',
		metadata: input.metadata ?? {},
		publicSettings: standardPublicSettings,
		sourceKey: null,
		sourceEtag: null,
		sourceSizeBytes: null,
		sourceUrl: null,
		customThumbnailKey: null,
		frameKey: null,
		manifestKey: null,
		createdAt: now,
		updatedAt: now,
	}
	await db.batch([
		assetStore(db).insert(row),
		...searchStore(db).insert(row),
		recordEvent(db, now, { type: 'asset.created', orgId, payload: eventPayload(row) }),
	])
	deps.defer(relayEvents(deps))
	return row
}

export const findAsset = ({ db }: Deps, orgId: string, id: string): Promise<AssetRow | undefined> =>
	assetStore(db).find(orgId, id)

export async function getAsset(deps: Deps, orgId: string, id: string): Promise<AssetRow> {
	const row = await findAsset(deps, orgId, id)
	if (!row) throw noAsset()
	return row
}

/** The object of an asset's picture, null for none yet, for whoever has its playback id. */
export async function findPicture(deps: Deps, playbackId: string) {
	const row = await assetStore(deps.db).findPicture(playbackId)
	if (!row) throw new AppError('not_found', 'not found')
	return { key: row.customThumbnailKey ?? row.frameKey, visibility: row.visibility }
}

export const hasSource = () => new AppError('conflict', 'this asset has a source already')

type StoredSource = { sourceKey: string; sourceEtag: string; sourceSizeBytes: number }
type Source = StoredSource | { sourceUrl: string }

/** Of several that bring a source at once, one succeeds. */
export async function receiveSource(deps: Deps, asset: AssetRow, source: Source): Promise<void> {
	const { db, now } = deps
	const { id, orgId } = asset
	const [moved] = await db.batch([
		assetStore(db).move(orgId, id, 'receiveSource', source, now),
		recordUploaded(deps, asset),
	])
	if (moved.length === 0) throw await whyNotMoved(deps, asset)
	deps.defer(relayEvents(deps))
}

/** As `receiveSource`, with an object of the vault that was announced (`announceObject`) before it was stored. */
export async function receiveAnnounced(deps: Deps, asset: AssetRow, source: StoredSource): Promise<void> {
	const { db, now } = deps
	const { id, orgId } = asset
	const { sourceKey } = source
	const [moved] = await db.batch([
		assetStore(db).move(orgId, id, 'receiveSource', source, now, isAnnounced('vault', sourceKey, now)),
		keepAnnounced(db, 'vault', sourceKey),
		recordUploaded(deps, asset),
	])
	if (moved.length === 0) throw await whyNotMoved(deps, asset)
	deps.defer(relayEvents(deps))
}

const recordUploaded = ({ db, now }: Deps, asset: AssetRow) =>
	recordEventIfChanged(db, now, { type: 'asset.uploaded', orgId: asset.orgId, payload: eventPayload(asset) })

async function whyNotMoved({ db }: Deps, { orgId, id }: AssetRow): Promise<AppError> {
	const row = await assetStore(db).find(orgId, id)
	if (!row) return noAsset()
	if (canMove('receiveSource', row.status))
		return new AppError('gone', 'the upload took so long that it was given up; begin again')
	return hasSource()
}

type Patch = { [K in keyof AssetChange]?: AssetChange[K] | undefined }

export async function updateAsset(
	{ db, now, tokens }: Deps,
	orgId: string,
	id: string,
	patch: Omit<Patch, 'publicSettings'> & { publicSettings?: object | undefined },
): Promise<AssetRow> {
	if (patch.visibility === 'signed' && !tokens)
		throw new AppError('not_configured', 'playback tokens are not set up: AUTH_SECRET is missing')
	const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
	const store = assetStore(db)
	const [[row]] = await db.batch([
		store.update(orgId, id, given, now),
		...searchStore(db).update({ id, orgId }, patch),
	])
	if (row) {
		await forgetPlayable(row.playbackId)
		return row
	}
	if (patch.collectionId && (await store.find(orgId, id)))
		throw new AppError('not_found', 'no such collection')
	throw noAsset()
}

/**
 * The row goes, and with it whatever is stored. Objects cannot be in the batch: a purge is written down in it, begun
 * right after the answer, and repeated until nothing can arrive any more.
 */
export async function deleteAsset(deps: Deps, orgId: string, id: string): Promise<void> {
	const { db, now } = deps
	const store = assetStore(db)
	const row = await store.find(orgId, id)
	if (!row) throw noAsset()
	const [deleted] = await db.batch([
		store.delete(orgId, id),
		recordEventIfChanged(db, now, { type: 'asset.deleted', orgId, payload: eventPayload(row) }),
		...prefixesOf(row).map(([bucket, prefix]) => store.purgeIfChanged(bucket, prefix, now)),
		...searchStore(db).delete(row),
		...store.deleteBelongings(id),
	])
	if (deleted.length === 0) throw noAsset()
	await forgetPlayable(row.playbackId)
	deps.defer(relayEvents(deps))
	deps.defer(purgeStorage(deps))
}
