import { type SQL, sql } from 'drizzle-orm'
import type { ProcessOptions } from '#schema/contract/video/processing/process-options.ts'
import { MAX_RESUMABLE_BYTES } from '#schema/contract/video/uploads.ts'
import type { RequestedOptions } from '#schema/tables/video/job-plan.ts'
import { planLimitError, tierLimit } from '../../../accounts/orgs/limits.ts'
import { requireAnyStorage } from '../../../accounts/orgs/storage.ts'
import type { OrgContext } from '../../../http/caller.ts'
import { AppError } from '../../../http/errors.ts'
import { batch } from '../../../platform/database/batch.ts'
import { newId } from '../../../platform/database/ids.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import type { Deps } from '../../../platform/deps.ts'
import { recordEventIfChangedStatement } from '../../../platform/outbox/outbox.ts'
import { getAsset, resolveAudioConfig, toEventPayload } from '../../assets/assets.ts'
import { markQueuedStatement } from '../../assets/moves.ts'
import { deleteCachedPlayable } from '../../assets/playable/playable.ts'
import { canMove } from '../../assets/states.ts'
import type { AssetRow } from '../../assets/store.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import { toRequestedOptions } from '../plan/requested-options.ts'
import { findEncodedMinutes } from '../store/encoded-minutes.ts'
import { jobStore } from '../store/job-store.ts'
import { taskStore } from '../store/task-store.ts'
import { newTask } from './new-task.ts'

const alreadyProcessingError = () =>
	new AppError('conflict', 'this asset is already being processed; wait until it is ready')

/** Enqueues an asset, if `condition` holds. One batch moves the asset and inserts job, first task and event. */
export async function processAsset(
	deps: Deps,
	org: OrgContext,
	assetId: string,
	options: ProcessOptions,
	condition?: SQL,
): Promise<string> {
	const { db, work, now } = deps
	const asset = await getAsset(deps, org.id, assetId)
	if (asset.status === 'created')
		throw new AppError('conflict', 'this asset has no source yet; upload or import one first')
	if (!canMove('enqueue', asset.status)) throw alreadyProcessingError()
	await requireMinutes(deps, org)
	const requestedOptions = toRequestedOptions(resolveAudioConfig(asset))
	const first = await firstTask(deps, asset, requestedOptions)
	const job = {
		id: newId('job', now),
		assetId,
		orgId: org.id,
		playbackId: asset.playbackId,
		...options,
		requestedOptions,
		traceId: deps.traceId,
	}
	const payload = { ...toEventPayload(asset), jobId: job.id }
	try {
		const { jobInserted } = await batch(db, {
			assetQueued: markQueuedStatement(db, asset, now, condition),
			jobInserted: jobStore(db).insertIfChangedStatement(job, now),
			taskInserted: taskStore(db).insertStatements(job, [first], now, sql`changes() > 0`),
			eventRecorded: recordEventIfChangedStatement(work, {
				type: 'asset.processing',
				orgId: org.id,
				payload,
			}),
		})
		if (jobInserted.length === 0) throw alreadyProcessingError()
	} catch (error) {
		// With early playback a ready asset may still have a running job.
		if (isUniqueViolation(error)) throw alreadyProcessingError()
		throw error
	}
	await deleteCachedPlayable(asset.playbackId)
	deps.defer(wakeFleet(deps))
	return job.id
}

async function requireMinutes({ db, now }: Deps, { id, tier }: OrgContext): Promise<void> {
	const limit = tierLimit(tier, 'encodeMinutesPerMonth')
	if (limit !== null && (await findEncodedMinutes(db, id, now)) >= limit)
		throw planLimitError(tier, 'encodeMinutesPerMonth')
}

/** Returns the fetch task for a source URL, limited to the free storage, or else the inspection. */
async function firstTask(deps: Deps, asset: AssetRow, requestedOptions: RequestedOptions) {
	const { sourceKey, sourceUrl: url } = asset
	if (sourceKey !== null || url === null) return newInspectionTask(asset, requestedOptions, deps.now)
	const room = await requireAnyStorage(deps, asset.orgId)
	const maxBytes = Math.min(MAX_RESUMABLE_BYTES, room ?? Number.POSITIVE_INFINITY)
	return newTask(asset, { spec: { kind: 'fetch', url, maxBytes }, index: 0, rank: 0 }, 0, deps.now)
}

export const newInspectionTask = (
	asset: Pick<AssetRow, 'id' | 'sourceEtag' | 'sourceSizeBytes'>,
	{ maxDurationSec }: Pick<RequestedOptions, 'maxDurationSec'>,
	now: number,
) => newTask(asset, { spec: { kind: 'inspect', maxDurationSec }, index: 0, rank: 0 }, 0, now)
