import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../platform/database.ts'
import { type AssetRef, type AssetRow, assetStore } from './store.ts'

/*
 * The moves of processing, as statements for the batch of whoever makes them. Each leaves the states that states.ts
 * names, or changes nothing and returns no row. `condition` is what has to hold besides, for instance `changes() > 0`
 * behind the statement that won a lease; what stands behind a move can ask the same of it.
 *
 * When the batch has moved an asset to or from `ready`, or changed what is played: `forgetPlayable(playbackId)`.
 */

/** Also again: from `error` and from `ready`, which is not played until it is ready anew. */
export const markQueued = (db: Db, asset: AssetRef, now: number, condition?: SQL) =>
	assetStore(db).move(asset, 'enqueue', { errorMessage: null }, now, condition)

/** A machine began. It stays so while a job is tried again, on the same machine or another one. */
export const markProcessing = (db: Db, asset: AssetRef, now: number, condition?: SQL) =>
	assetStore(db).move(asset, 'startProcessing', {}, now, condition)

/** All that a run of processing made. What it did not make is named too, so that nothing of an earlier run is left. */
export type Made = Pick<
	AssetRow,
	| 'durationSec'
	| 'manifestKey'
	| 'frameKey'
	| 'previewKey'
	| 'storyboardKey'
	| 'audioTrack'
	| 'audioKey'
	| 'aiAudioKey'
	| 'downloadKey'
	| 'mediaBytes'
>

export const markReady = (db: Db, asset: AssetRef, made: Made, now: number, condition?: SQL) =>
	assetStore(db).move(asset, 'finishProcessing', made, now, condition)

/**
 * Of an asset that is ready already: more of it can be played. What was made to download meanwhile stays, and its bytes
 * are counted.
 */
export const markExtended = (
	db: Db,
	asset: AssetRef,
	{ downloadKey: _, mediaBytes, ...made }: Made,
	downloadBytes: SQL<number>,
	now: number,
	condition?: SQL,
) =>
	assetStore(db).move(
		asset,
		'extendReady',
		{ ...made, mediaBytes: sql`${mediaBytes} + ${downloadBytes}` },
		now,
		condition,
	)

/** `message` is read by people. */
export const markFailed = (db: Db, asset: AssetRef, message: string, now: number, condition?: SQL) =>
	assetStore(db).move(asset, 'failProcessing', { errorMessage: message }, now, condition)

/** A download that is made when the asset is ready already. */
export const addDownload = (
	db: Db,
	asset: AssetRef,
	file: { key: string; sizeBytes: number },
	now: number,
	condition?: SQL,
) => assetStore(db).addDownload(asset, file, now, condition)
