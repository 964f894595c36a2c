import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/database.ts'
import { type AssetRef, type AssetRow, assetStore } from './store.ts'

/*
 * The state moves of processing, as statements for a batch. Each applies to the states listed in states.ts; otherwise
 * it changes nothing and returns no row. `condition` is an additional condition, for instance `changes() > 0` after the
 * statement that took a lease. A statement after a move can use `changes()` in the same way.
 *
 * Call `deleteCachedPlayable(playbackId)` after a batch that moves an asset to or from `ready`, or changes what viewers play.
 */

/**
 * Also applies to `error` and `ready`. The asset can't be played until it is `ready` again. Clears the
 * request to process the asset after its upload, so that a repeated event does not start a second job.
 */
export const markQueuedStatement = (db: Db, asset: AssetRef, now: number, condition?: SQL) =>
	assetStore(db).moveStatement(
		asset,
		'enqueue',
		{ errorMessage: null, errorFingerprint: null, processWhenUploaded: null },
		now,
		condition,
	)

/** Moves the asset when a machine starts. The status stays `processing` through retries on any machine. */
export const markProcessingStatement = (db: Db, asset: AssetRef, now: number, condition?: SQL) =>
	assetStore(db).moveStatement(asset, 'startProcessing', {}, now, condition)

/** The outputs of one processing run. Missing outputs are `null`, which clears the outputs of an earlier run. */
export type ProcessingOutputs = Pick<
	AssetRow,
	| 'durationSec'
	| 'manifestKey'
	| 'frameKey'
	| 'placeholder'
	| 'width'
	| 'height'
	| 'previewKey'
	| 'storyboardKey'
	| 'audioTrack'
	| 'audioKey'
	| 'aiAudioKey'
	| 'downloadKey'
	| 'mediaBytes'
>

export const markReadyStatement = (
	db: Db,
	asset: AssetRef,
	outputs: ProcessingOutputs,
	now: number,
	condition?: SQL,
) =>
	assetStore(db).moveStatement(
		asset,
		'finishProcessing',
		{ ...outputs, mediaBytes: sql`${outputs.mediaBytes} + ${clipBytes(asset)}` },
		now,
		condition,
	)

/** The size of highlight clips, which survive reprocessing. */
const clipBytes = ({ id }: Pick<AssetRef, 'id'>): SQL<number> =>
	sql`coalesce((select sum(clip.clip_bytes) from highlights as clip where clip.asset_id = ${id}), 0)`

/** Adds outputs to an asset that is already `ready`. Keeps a download made in the meantime and counts its bytes. */
export const markExtendedStatement = (
	db: Db,
	asset: AssetRef,
	{ downloadKey: _, mediaBytes, ...outputs }: ProcessingOutputs,
	downloadBytes: SQL<number>,
	now: number,
	condition?: SQL,
) =>
	assetStore(db).moveStatement(
		asset,
		'extendReady',
		{ ...outputs, mediaBytes: sql`${mediaBytes} + ${downloadBytes} + ${clipBytes(asset)}` },
		now,
		condition,
	)

/** `errorMessage` is shown to users. */
export const markFailedStatement = (
	db: Db,
	asset: AssetRef,
	error: { errorMessage: string; errorFingerprint: string },
	now: number,
	condition?: SQL,
) => assetStore(db).moveStatement(asset, 'failProcessing', error, now, condition)

/** Gives an asset whose job was cancelled the status that it had before, except `error`. One of the two applies. */
export const returnStatements = (db: Db, asset: AssetRef, now: number, condition: SQL) => [
	assetStore(db).moveStatement(
		asset,
		'returnToReady',
		{},
		now,
		sql`manifest_key is not null and ${condition}`,
	),
	assetStore(db).moveStatement(
		asset,
		'returnToUploaded',
		{},
		now,
		sql`manifest_key is null and ${condition}`,
	),
]

/** Adds a download to an asset that is already `ready`. */
export const addDownloadStatement = (
	db: Db,
	asset: AssetRef,
	file: { key: string; sizeBytes: number },
	now: number,
	condition?: SQL,
) => assetStore(db).addDownloadStatement(asset, file, now, condition)
