import { type SQL, sql } from 'drizzle-orm'
import type { TaskSpec } from '#schema/contract/video/tasks.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import { recordEventIfChangedStatement, recordEventIfStatement } from '../../../platform/outbox/outbox.ts'
import { queuePurges } from '../../../platform/storage/storage-purge.ts'
import { toEventPayload } from '../../assets/assets.ts'
import { markExtendedStatement, markReadyStatement, type ProcessingOutputs } from '../../assets/moves.ts'
import { deleteCachedPlayable } from '../../assets/playable/playable.ts'
import { logVideo } from '../../assets/state-log.ts'
import type { AssetRow } from '../../assets/store.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import { abortUploads } from '../machine-api/large-output.ts'
import { IMMUTABLE } from '../machine-api/output-location.ts'
import { jobsEnded } from '../metrics.ts'
import { computeRank, isAfterJob, isForPlayback, tiers } from '../plan/ranks.ts'
import { posterStore } from '../posters/store.ts'
import { type Presentation, writePresentation } from '../presentation/presentation.ts'
import { UnfitOutputsError } from '../presentation/rung-streams.ts'
import type { TaskOutput } from '../presentation/task-output.ts'
import { countEncodedStatement } from '../store/encoded-minutes.ts'
import { isPublishedBy, jobStore, type PlannedJob } from '../store/job-store.ts'
import { formatLeaseFolder, listJobFolders } from '../store/output-folders.ts'
import { purgeLostEpochsStatement, purgeOtherMastersStatement } from '../store/output-purges.ts'
import { renditionStore } from '../store/rendition-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'
import { failJob, omitCodec } from './failing.ts'
import { newTask } from './new-task.ts'
import { collectOutputs } from './processing-outputs.ts'

const PLAYLIST_TYPE = 'application/vnd.apple.mpegurl'
/** With early playback a playlist is rewritten when rungs are added. */
const GROWING = 'public, max-age=10'
const MAX_PARALLEL_PUTS = 6
const UNFIT_CODEC = 'its outputs do not match the rest of the video'
const UNFIT =
	'the outputs of this video do not match each other; process it again, or contact the operator of this service'

/** Publishes the finished outputs if the playback mode allows it. Nothing is visible before the final batch. */
export async function publishJob(
	deps: Deps,
	job: PlannedJob,
	asset: AssetRow,
	rows: readonly TaskRow[],
): Promise<void> {
	const open = rows.filter(
		({ kind, state }) => !isAfterJob(kind) && (state === 'queued' || state === 'running'),
	)
	const stage = { isWhole: !open.some(isForPlayback), onlyDownloadsLeft: open.length === 0 }
	if (!stage.isWhole && job.playback !== 'early') return
	const presentation = present(deps, job, rows)
	if (stage.isWhole && !presentation?.isWhole) {
		await failJob(deps, { job, asset }, UNFIT)
		return
	}
	if (!presentation) return
	for (const { codec, problem } of presentation.unfit) {
		deps.log.error('outputs do not fit together', new Error(problem), { jobId: job.id, codec })
		await omitCodec(deps, job.id, codec, UNFIT_CODEC)
	}
	const { media } = listJobFolders(job.playbackId, job.assetId, job.id)
	// Each run has its own name for the master playlist, so that late writes of an older run can't overwrite a newer one.
	const manifestKey = `${media}master-${job.version}.m3u8`
	await putFiles(deps, media, presentation, manifestKey, stage.onlyDownloadsLeft)
	const outputs = collectOutputs(job, rows, presentation, manifestKey)
	await publish(deps, job, asset, outputs, presentation, stage)
}

function present(deps: Deps, job: PlannedJob, rows: readonly TaskRow[]): Presentation | null {
	const taskOutputs: TaskOutput[] = rows.flatMap((row) =>
		row.state === 'done' && row.result
			? [{ folder: formatLeaseFolder(row), index: row.position, result: row.result }]
			: [],
	)
	try {
		return writePresentation(job.plan, taskOutputs)
	} catch (error) {
		if (!(error instanceof UnfitOutputsError)) throw error
		deps.log.error('outputs do not fit together', error, { jobId: job.id })
		return null
	}
}

async function putFiles(
	{ objects }: Deps,
	folder: string,
	{ files, master }: Presentation,
	manifestKey: string,
	isFinal: boolean,
): Promise<void> {
	const cacheControl = isFinal ? IMMUTABLE : GROWING
	const put = ({ name, contentType, text }: Presentation['files'][number]) =>
		objects.media.put(`${folder}${name}`, text, { contentType, cacheControl })
	const others = files.filter(({ name }) => name !== master)
	for (let i = 0; i < others.length; i += MAX_PARALLEL_PUTS)
		await Promise.all(others.slice(i, i + MAX_PARALLEL_PUTS).map(put))
	const text = files.find(({ name }) => name === master)?.text
	if (text === undefined) throw new Error('the presentation has no master playlist')
	await objects.media.put(manifestKey, text, { contentType: PLAYLIST_TYPE, cacheControl: IMMUTABLE })
}

type Stage = { isWhole: boolean; onlyDownloadsLeft: boolean }

async function publish(
	deps: Deps,
	job: PlannedJob,
	asset: AssetRow,
	outputs: ProcessingOutputs,
	{ renditions }: Presentation,
	stage: Stage,
): Promise<void> {
	const { db, work, now } = deps
	const jobs = jobStore(db)
	const isOurs = isPublishedBy(job)
	const playable = { ...toEventPayload(asset), jobId: job.id, durationSec: outputs.durationSec ?? 0 }
	const eventRenditions = sql`
		json(${JSON.stringify(renditions.map(({ rungId: _, ...rendition }) => rendition))})
	`
	const { jobPublished, earlierTasksDropped } = await batch(db, {
		jobPublished: jobs.publishStatement(job, stage.onlyDownloadsLeft, now),
		posterMoved:
			stage.isWhole && asset.thumbnailFrame?.status === 'processing'
				? posterStore(db).moveToJobStatement(asset.id, job.id, isOurs)
				: null,
		earlierTasksDropped: stage.isWhole ? jobs.dropEarlierTasksStatement(job, isOurs) : null,
		assetReady: markReadyStatement(db, asset, outputs, now, isOurs),
		// An asset that was already ready gets no second event.
		playableRecorded: recordEventIfChangedStatement(work, {
			type: 'asset.playable',
			orgId: job.orgId,
			payload: playable,
		}),
		renditionsRecorded: renditions.map((rendition) => recordRenditionStatement(deps, job, rendition, isOurs)),
		allMarked: stage.isWhole ? jobs.markAllPublishedStatement(job, now) : null,
		readyRecorded: stage.isWhole
			? recordEventIfChangedStatement(work, {
					type: 'asset.ready',
					orgId: job.orgId,
					payload: { ...playable, renditions: eventRenditions },
				})
			: null,
		assetExtended: markExtendedStatement(
			db,
			asset,
			outputs,
			renditionStore(db).downloadBytes(job.id),
			now,
			isOurs,
		),
		renditionsReplaced: renditionStore(db).replaceStatements(job, renditions, isOurs),
		downloadsInserted: stage.isWhole ? insertDownloadsStatements(deps, job, asset, renditions) : null,
		earlierJobsDropped: stage.isWhole ? jobs.dropEarlierStatements(job, now, isOurs) : null,
		minutesCounted: stage.onlyDownloadsLeft
			? countEncodedStatement(db, job.orgId, job.plan.durationSec, now, isOurs)
			: null,
		purgesRecorded: stage.onlyDownloadsLeft
			? [
					purgeLostEpochsStatement(db, job.id, now, isOurs),
					purgeOtherMastersStatement(db, job.id, now, isOurs),
				]
			: null,
	})
	if (jobPublished.length === 0) return
	logVideo(deps, stage.isWhole ? 'ready' : 'playable', { assetId: asset.id, title: asset.title })
	await deleteCachedPlayable(job.playbackId)
	if (stage.isWhole) {
		deps.defer(abortUploads(deps, earlierTasksDropped ?? []))
		deps.defer(queuePurges(deps))
		deps.defer(wakeFleet(deps))
	}
	if (!stage.onlyDownloadsLeft) return
	incrementCounter(deps, jobsEnded, { outcome: 'completed' })
	deps.log.info('job completed', { jobId: job.id, assetId: job.assetId, durationSec: outputs.durationSec })
}

/** Records that a rendition can be played, unless this job published it before. */
function recordRenditionStatement(
	{ db, work }: Deps,
	job: PlannedJob,
	{ rungId, ...rendition }: Presentation['renditions'][number],
	condition: SQL,
) {
	const { id: jobId, assetId, playbackId, orgId } = job
	return recordEventIfStatement(
		work,
		{
			type: 'asset.rendition.ready',
			orgId,
			payload: { assetId, playbackId, jobId, rendition: sql`json(${JSON.stringify(rendition)})` },
		},
		sql`${condition} and not ${renditionStore(db).hasPublished(job, rungId)}`,
	)
}

/** May run on each publish; existing downloads stay. */
function insertDownloadsStatements(
	{ db, now }: Deps,
	job: PlannedJob,
	asset: AssetRow,
	renditions: Presentation['renditions'],
) {
	const { fps, durationSec } = job.plan
	// Downloads are H.264 only, which every player supports.
	const h264 = renditions.filter(({ codec }) => codec === 'h264')
	const downloads = h264.map(({ rungId }, index) => {
		// The inputs are resolved when a machine claims the task.
		const spec: TaskSpec = {
			kind: 'download',
			rung: rungId,
			fps: fps ?? { num: 1, den: 1 },
			video: [],
			audio: [],
		}
		return newTask(asset, { spec, index, rank: computeRank(tiers.downloads, index) }, durationSec, now)
	})
	return taskStore(db).insertStatements(job, downloads, now, isPublishedBy(job))
}
