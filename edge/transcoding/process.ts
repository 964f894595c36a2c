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
import { requireSomeRoom } from '../orgs/storage.ts'
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
	const first = await firstTask(deps, asset, wish)
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
			...taskStore(db).insert(job, [first], now, sql`changes() > 0`),
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

/** A source that was named but never fetched comes into the vault first, as far as there is room for it. */
async function firstTask(deps: Deps, asset: AssetRow, wish: Asked) {
	const { sourceKey, sourceUrl: url } = asset
	if (sourceKey !== null || url === null) return inspection(asset, wish, deps.now)
	const room = await requireSomeRoom(deps, asset.orgId)
	const maxBytes = Math.min(MAX_RESUMABLE_BYTES, room ?? Number.POSITIVE_INFINITY)
	return newTask(asset, { spec: { kind: 'fetch', url, maxBytes }, index: 0, rank: 0 }, 0, deps.now)
}

export const inspection = (
	asset: Pick<AssetRow, 'id' | 'sourceEtag' | 'sourceSizeBytes'>,
	{ maxDurationSec }: Pick<Asked, 'maxDurationSec'>,
	now: number,
) => newTask(asset, { spec: { kind: 'inspect', maxDurationSec }, index: 0, rank: 0 }, 0, now)
