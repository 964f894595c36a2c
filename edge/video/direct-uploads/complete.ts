import { sql } from 'drizzle-orm'
import { hasStorageRoom, requireStorage } from '../../accounts/orgs/storage.ts'
import { AppError, diskFullError } from '../../http/errors.ts'
import { HOUR } from '../../platform/clock.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import { keepAnnouncedStatement, withdrawObject } from '../../platform/storage/announced-objects.ts'
import { recordUploadedStatement } from '../assets/assets.ts'
import { newAssetRow, newAssetStatements, wasInserted } from '../assets/new-asset.ts'
import { selectCollection } from '../assets/store.ts'
import type { UploadRecord } from '../uploads/tus/upload-ledger.ts'
import { findUpload, requireUpload } from '../uploads/tus/upload-stub.ts'
import { endedError } from './direct-uploads.ts'
import { type DirectUploadRow, directUploadStore } from './store.ts'

/**
 * Creates the asset of a complete file, with the file as its source. Only one of several concurrent calls succeeds. The
 * Worker may die after any step: a later request or the sweep repeats the steps. On a full disk, the upload keeps waiting.
 */
export async function completeUpload(
	deps: Deps,
	upload: DirectUploadRow,
	record: UploadRecord,
): Promise<void> {
	if (upload.status === 'waiting') {
		await directUploadStore(deps.db).announceFile(upload.id, record.key, record.expiresAt + HOUR, deps.now)
		const stored = await requireUpload(deps.env, upload.assetId).assemble(record.id, deps.now)
		if (stored === 'disk-full') throw diskFullError()
		try {
			if (!stored) throw new AppError('gone', 'the upload was cancelled; start a new one')
			await createAsset(deps, upload, stored)
		} catch (error) {
			if (error instanceof AppError) await recordError(deps, upload, record, error)
			throw error
		}
	}
	if (!record.isFinished) await requireUpload(deps.env, upload.assetId).settle(record.key)
}

type StoredFile = { key: string; etag: string; sizeBytes: number }

async function createAsset(
	deps: Deps,
	{ id, orgId, assetId, newAsset }: DirectUploadRow,
	{ key, etag, sizeBytes }: StoredFile,
): Promise<void> {
	const { db, work, now } = deps
	const store = directUploadStore(db)
	const row = newAssetRow(deps, orgId, assetId, newAsset)
	const { collectionId, playbackId } = row
	const asset = {
		...row,
		status: 'uploaded' as const,
		// The collection may have been deleted since; like its videos, the new asset then has none.
		...(collectionId !== null && { collectionId: sql<string>`(${selectCollection(orgId, collectionId)})` }),
		...{ sourceKey: key, sourceEtag: etag, sourceSizeBytes: sizeBytes, sourceReceivedAt: now },
	}
	const isCreated = wasInserted(row)
	const { assetCreated, ...creation } = newAssetStatements(deps, asset, sql`changes() > 0`)
	const { uploadEnded } = await batch(db, {
		uploadEnded: store.endWithAssetStatement({ id, orgId }, { key, sizeBytes }, now),
		assetCreated,
		// Directly after the asset, because both this and the event look at the changes of the statement before.
		fileKept: keepAnnouncedStatement(db, 'vault', key),
		...creation,
		endRecorded: recordEventIfStatement(
			work,
			{ type: 'upload.asset_created', orgId, payload: { uploadId: id, assetId, playbackId } },
			isCreated,
		),
		uploadRecorded: recordUploadedStatement(deps, row, isCreated),
	})
	if (uploadEnded.length > 0) return
	const current = await store.find(orgId, id)
	if (current?.status === 'asset_created') return
	if (current?.status !== 'waiting') throw endedError()
	await requireStorage(deps, orgId, sizeBytes, hasStorageRoom)
	throw new AppError('gone', 'the upload expired; start a new one')
}

/** Records why a complete file can't become an asset, and deletes the file. */
async function recordError(
	deps: Deps,
	{ id, assetId }: DirectUploadRow,
	{ key }: UploadRecord,
	error: AppError,
): Promise<void> {
	const [errored] = await directUploadStore(deps.db).endWithErrorStatement(id, error, deps.now)
	if (!errored) return
	await findUpload(deps.env, assetId)?.end(null)
	await withdrawObject(deps, 'vault', key)
}
