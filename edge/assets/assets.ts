import { sql } from 'drizzle-orm'
import { standardPublicSettings } from '#schema/contract/assets.ts'
import { type AudioConfig, standardAudioConfig } from '#schema/contract/audio.ts'
import { AppError } from '../http/errors.ts'
import { hasRoom, requireRoom } from '../orgs/storage.ts'
import { announceObject, isAnnounced, keepAnnounced } from '../platform/announced-objects.ts'
import type { Deps } from '../platform/deps.ts'
import { newId, randomBase62 } from '../platform/ids.ts'
import { recordEvent, recordEventIfChanged, relayEvents } from '../platform/outbox.ts'
import { handOverPurges } from '../platform/storage-purge.ts'
import { dropTasks, endProcessing } from '../transcoding/ended.ts'
import { abortUploads } from '../transcoding/large-output.ts'
import { forgetPlayable } from './playable.ts'
import { searchStore } from './search-store.ts'
import { canMove } from './states.ts'
import {
	type AssetChange,
	type AssetRef,
	type AssetRow,
	type AudioConfigChange,
	assetStore,
	awaitsSource,
} from './store.ts'

const PLAYBACK_ID_LENGTH = 22

export const noAsset = () => new AppError('not_found', 'no such asset')

export const eventPayload = ({ id, playbackId, title }: Pick<AssetRow, 'id' | 'playbackId' | 'title'>) => ({
	assetId: id,
	playbackId,
	title,
})

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
		playbackTokenVersion: 0,
		metadata: input.metadata ?? {},
		publicSettings: standardPublicSettings,
		sourceKey: null,
		sourceEtag: null,
		sourceSizeBytes: null,
		sourceUrl: null,
		customThumbnailKey: null,
		frameKey: null,
		previewKey: null,
		storyboardKey: null,
		manifestKey: null,
		audioTrack: null,
		audioKey: null,
		aiAudioKey: null,
		downloadKey: null,
		mediaBytes: 0,
		audioConfig: null,
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

/** What the picture of an asset is, and who may see it, whatever its status. */
export async function findPicture(deps: Deps, playbackId: string) {
	const row = await assetStore(deps.db).findPicture(playbackId)
	if (!row) throw new AppError('not_found', 'not found')
	return row
}

export const hasSource = () => new AppError('conflict', 'this asset has a source already')

/** Of several that bring a source at once, one succeeds. How much it is shows when it was fetched. */
export async function receiveAddress(deps: Deps, asset: AssetRow, sourceUrl: string): Promise<void> {
	const { db, now } = deps
	const [moved] = await db.batch([
		assetStore(db).move(asset, 'receiveSource', { sourceUrl }, now),
		recordUploaded(deps, asset),
	])
	if (moved.length === 0) {
		await getAsset(deps, asset.orgId, asset.id)
		throw hasSource()
	}
	deps.defer(relayEvents(deps))
}

/** Before an object is stored that is to become the source. Refuses if the asset has one by now. */
export async function announceSource(
	deps: Deps,
	asset: AssetRef,
	sourceKey: string,
	sweepAt: number,
): Promise<void> {
	const announced = await announceObject(deps.db, 'vault', sourceKey, sweepAt, awaitsSource(asset))
	if (announced.length > 0) return
	await getAsset(deps, asset.orgId, asset.id)
	throw hasSource()
}

type StoredSource = { sourceKey: string; sourceEtag: string; sourceSizeBytes: number }

/**
 * As `receiveAddress`, with an object of the vault that was announced (`announceSource`) before it was stored. Together
 * they take no more than the tier allows.
 */
export async function receiveAnnounced(deps: Deps, asset: AssetRow, source: StoredSource): Promise<void> {
	const { db, now } = deps
	const { id, orgId } = asset
	const { sourceKey, sourceSizeBytes } = source
	const condition = sql`${isAnnounced('vault', sourceKey, now)} and ${hasRoom(orgId, sourceSizeBytes)}`
	const [moved] = await db.batch([
		assetStore(db).move(asset, 'receiveSource', source, now, condition),
		keepAnnounced(db, 'vault', sourceKey),
		recordUploaded(deps, asset),
	])
	if (moved.length === 0) {
		const { status } = await getAsset(deps, orgId, id)
		if (!canMove('receiveSource', status)) throw hasSource()
		await requireRoom(deps, orgId, sourceSizeBytes)
		throw new AppError('gone', 'the upload took so long that it was given up; begin again')
	}
	deps.defer(relayEvents(deps))
}

const recordUploaded = ({ db, now }: Deps, asset: AssetRow) =>
	recordEventIfChanged(db, now, {
		type: 'asset.uploaded',
		orgId: asset.orgId,
		payload: eventPayload(asset),
	})

/** What the next processing is to make of the sound. */
export async function updateAudioConfig(
	{ db, now }: Deps,
	asset: AssetRef,
	change: AudioConfigChange,
): Promise<AudioConfig> {
	const row = await assetStore(db).changeAudioConfig(asset, change, now)
	if (!row) throw noAsset()
	return audioConfigOf(row)
}

export const audioConfigOf = ({ audioConfig }: Pick<AssetRow, 'audioConfig'>): AudioConfig =>
	audioConfig ?? standardAudioConfig

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

/** Tokens of every audience, also those in addresses that were handed out. Elsewhere they work for 60 s more. */
export async function revokePlaybackTokens({ db, now }: Deps, orgId: string, id: string): Promise<void> {
	const row = await assetStore(db).raisePlaybackTokenVersion({ orgId, id }, now)
	if (!row) throw noAsset()
	await forgetPlayable(row.playbackId)
}

/**
 * The row goes, and with it whatever is stored. Objects cannot be in the batch: purges are written down in it, handed
 * to the queue right after the answer, and done once more when nothing can arrive any more.
 */
export async function deleteAsset(deps: Deps, orgId: string, id: string): Promise<void> {
	const { db, now } = deps
	const store = assetStore(db)
	const row = await store.find(orgId, id)
	if (!row) throw noAsset()
	const [begun, , deleted] = await db.batch([
		dropTasks(db, id),
		store.purge(orgId, id, now),
		store.delete(orgId, id),
		recordEventIfChanged(db, now, { type: 'asset.deleted', orgId, payload: eventPayload(row) }),
		...searchStore(db).delete(row),
		...store.deleteBelongings(id),
		...endProcessing(db, id, now),
	])
	if (deleted.length === 0) throw noAsset()
	await forgetPlayable(row.playbackId)
	deps.defer(relayEvents(deps))
	deps.defer(abortUploads(deps, begun))
	deps.defer(handOverPurges(deps))
}
