import { sql } from 'drizzle-orm'
import type { AiOptions, PlaybackMode } from '#schema/contract/transcoding.ts'
import { MAX_RESUMABLE_BYTES } from '#schema/contract/uploads.ts'
import { audioConfigOf, eventPayload, getAsset } from '../assets/assets.ts'
import { markQueued } from '../assets/moves.ts'
import { forgetPlayable } from '../assets/playable.ts'
import { canMove } from '../assets/states.ts'
import type { AssetRow } from '../assets/store.ts'
import type { OrgContext } from '../http/caller.ts'
import { AppError } from '../http/errors.ts'
import { limitOf, planLimit } from '../orgs/limits.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { recordEventIfChanged, relayEvents } from '../platform/outbox.ts'
import { isUniqueViolation } from '../platform/unique-violation.ts'
import { jobStore } from './job-store.ts'
import { newTask } from './new-task.ts'
import { taskStore } from './task-store.ts'
import { wakeFleet } from './wake.ts'
import { type Asked, wishOf } from './wish.ts'

const running = () => new AppError('conflict', 'this asset is being processed already')

/** Asset, job, first task and the event that wakes the fleet are one batch: all of it happens, or nothing. */
export async function processAsset(
	deps: Deps,
	org: OrgContext,
	assetId: string,
	how: { aiOptions: AiOptions; playback: PlaybackMode },
): Promise<string> {
	const { db, now } = deps
	const asset = await getAsset(deps, org.id, assetId)
	if (asset.status === 'created')
		throw new AppError('conflict', 'this asset has no source yet; upload or import one first')
	if (!canMove('enqueue', asset.status)) throw running()
	await requireMinutes(deps, org)
	const wish = wishOf(audioConfigOf(asset))
	const job = {
		id: newId('job', now),
		assetId,
		orgId: org.id,
		playbackId: asset.playbackId,
		...how,
		wish,
	}
	const payload = { ...eventPayload(asset), jobId: job.id }
	try {
		const [, made] = await db.batch([
			markQueued(db, asset, now),
			jobStore(db).insertIfChanged(job, now),
			...taskStore(db).insert(job, [firstTask(asset, wish, now)], now, sql`changes() > 0`),
			recordEventIfChanged(db, now, { type: 'asset.queued', orgId: org.id, payload }),
		])
		if (made.length === 0) throw running()
	} catch (error) {
		// An asset that is ready early may still have its job at work.
		if (isUniqueViolation(error)) throw running()
		throw error
	}
	await forgetPlayable(asset.playbackId)
	deps.defer(relayEvents(deps))
	deps.defer(wakeFleet(deps))
	return job.id
}

async function requireMinutes({ db, now }: Deps, { id, tier }: OrgContext): Promise<void> {
	const limit = limitOf(tier, 'encodeMinutesPerMonth')
	if (limit !== null && (await jobStore(db).encodeMinutes(id, now)) >= limit)
		throw planLimit(tier, 'encodeMinutesPerMonth')
}

/** A source that was named but never fetched comes into the vault first. */
function firstTask(asset: AssetRow, wish: Asked, now: number) {
	if (asset.sourceKey === null && asset.sourceUrl !== null) {
		const spec = { kind: 'fetch' as const, url: asset.sourceUrl, maxBytes: MAX_RESUMABLE_BYTES }
		return newTask(asset, { spec, index: 0, rank: 0 }, 0, now)
	}
	return inspection(asset, wish, now)
}

export const inspection = (
	asset: Pick<AssetRow, 'id' | 'sourceEtag' | 'sourceSizeBytes'>,
	{ maxDurationSec }: Pick<Asked, 'maxDurationSec'>,
	now: number,
) => newTask(asset, { spec: { kind: 'inspect', maxDurationSec }, index: 0, rank: 0 }, 0, now)
