import { sql } from 'drizzle-orm'
import { AppError } from '../../../http/errors.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { getAsset } from '../../assets/assets.ts'
import { endFrameRequestStatements } from '../../assets/frame-request-store.ts'
import type { AssetRow } from '../../assets/store.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import { newTask } from '../jobs/new-task.ts'
import { POSTER_RANK } from '../plan/ranks.ts'
import { isPlanned, isUnfinishedJob, jobStore } from '../store/job-store.ts'
import { type NewTask, taskStore } from '../store/task-store.ts'
import { choosePosterFrame } from './poster-frame.ts'
import { posterStore } from './store.ts'

/** Each retry means that another request changed the thumbnail or the publication concurrently. */
const MAX_TRIES = 4

const notPublishedError = () =>
	new AppError(
		'conflict',
		'the renditions of this asset are not published yet; wait until processing has ended and the asset is ready',
	)

/** Requests the frame at a moment as the custom thumbnail. Repeating the last request changes nothing, unless it failed. */
export async function requestPoster(
	deps: Deps,
	orgId: string,
	assetId: string,
	atSec: number,
): Promise<AssetRow> {
	for (let i = 0; i < MAX_TRIES; i++) {
		const asset = await getAsset(deps, orgId, assetId)
		const last = asset.thumbnailFrame
		if (last?.atSec === atSec && last.status !== 'failed') return asset
		const requested = await request(deps, asset, atSec)
		if (requested) return requested
	}
	throw new AppError('conflict', 'another request changed this thumbnail; try again')
}

async function request(deps: Deps, asset: AssetRow, atSec: number): Promise<AssetRow | undefined> {
	const { db, now } = deps
	const job = await jobStore(db).findPublished(asset.id)
	const isIncomplete = job && isUnfinishedJob(job) && job.allPublishedAt === null
	if (asset.status !== 'ready' || !job || !isPlanned(job) || isIncomplete) throw notPublishedError()
	const spec = await choosePosterFrame(deps, job, atSec)
	if (!spec) throw new AppError('validation', `atSec: this video has no frame at ${atSec} s`)
	const task: NewTask = newTask(
		asset,
		{ spec: { ...spec, video: [] }, index: 0, rank: POSTER_RANK },
		job.plan.durationSec,
		now,
	)
	const isRequested = sql`exists (
		select 1 from assets as asked where asked.id = ${asset.id} and asked.thumbnail_frame ->> '$.taskId' = ${task.id}
	)`
	const {
		frameRequested: [row],
	} = await batch(db, {
		frameRequested: posterStore(db).requestStatement(asset, atSec, task.id, now),
		// The earlier task has the same position in the job.
		earlierEnded: endFrameRequestStatements(db, asset, now, isRequested),
		taskInserted: taskStore(db).insertStatements(job, [task], now, isRequested),
	})
	if (!row) return undefined
	deps.defer(queuePurges(deps))
	deps.defer(wakeFleet(deps))
	return row
}
