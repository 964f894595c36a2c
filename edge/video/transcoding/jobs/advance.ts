import { sql } from 'drizzle-orm'
import type { AdvanceJob } from '#schema/contract/messages.ts'
import { tierLimit } from '../../../accounts/orgs/limits.ts'
import { getOrg } from '../../../accounts/orgs/orgs.ts'
import { hasStorageRoom } from '../../../accounts/orgs/storage.ts'
import { AppError } from '../../../http/errors.ts'
import { HOUR } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { getAsset } from '../../assets/assets.ts'
import { logVideo } from '../../assets/state-log.ts'
import { type AssetRow, assetStore } from '../../assets/store.ts'
import { OFFLINE_AFTER_MS } from '../../fleet/machines.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import { findLargeOutput } from '../machine-api/output-location.ts'
import { chooseEncoders } from '../plan/encoders.ts'
import { planJob, UnplayableError } from '../plan/plan.ts'
import { computeProgressPercent, sumWork } from '../progress/progress.ts'
import { fleetStore } from '../store/fleet-store.ts'
import { isJobUnfinished, isPlanned, isUnfinishedJob, type JobRow, jobStore } from '../store/job-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'
import { makeJobConsistent } from './apply-encoder-consistency.ts'
import { failJob } from './failing.ts'
import { newTask } from './new-task.ts'
import { newInspectionTask } from './process.ts'
import { publishJob } from './publish.ts'

/** Advances a job after the response. The queue retries a failure; the reaper finds jobs whose Worker died. */
export async function queueAdvance(deps: Deps, jobId: string): Promise<void> {
	try {
		await advanceJob(deps, { jobId })
	} catch (error) {
		deps.log.error('advancing the job failed', error, { jobId })
		await deps.send({ type: 'job.advance', jobId })
	}
}

/** Takes the next step of a job, if any. Safe to run concurrently and after a crash at any point. */
export async function advanceJob(deps: Deps, { jobId }: Pick<AdvanceJob, 'jobId'>): Promise<void> {
	const store = jobStore(deps.db)
	const job = await store.beginRun(jobId)
	if (!job) return
	if (isUnfinishedJob(job)) await takeStep(deps, job)
	await store.endRun(job)
}

/** If advancing has failed for this long, further retries are unlikely to help. */
const FAIL_AFTER_MS = HOUR

const ADVANCE_FAILED =
	'Something went wrong on our side while this video was processed. Process it again, or ask who runs this service.'

/** Handles a dead-lettered advance message. Fails the job unless a later message succeeded or is still recent. */
export async function failStuckJob(deps: Deps, { jobId }: Pick<AdvanceJob, 'jobId'>): Promise<void> {
	const { db, now } = deps
	const job = await jobStore(db).find(jobId)
	if (job?.advanceAt == null || job.advanceAt > now - FAIL_AFTER_MS) return
	const asset = await findAsset(deps, job)
	if (asset) await failJob(deps, { job, asset }, ADVANCE_FAILED)
}

async function takeStep(deps: Deps, job: JobRow): Promise<void> {
	const rows = await taskStore(deps.db).listByJob(job.id)
	const asset = await findAsset(deps, job)
	if (!asset) return
	const result = (kind: TaskRow['kind']) => rows.find((row) => row.kind === kind && row.state === 'done')
	const inspected = result('inspect')
	const fetched = result('fetch')
	logVideo(
		deps,
		'processing',
		{ assetId: asset.id, title: asset.title },
		{ percent: computeProgressPercent(job, sumWork(rows)) },
	)
	if (isPlanned(job)) {
		const consistentRows = await makeJobConsistent(deps, job, asset, rows)
		if (consistentRows) await publishJob(deps, job, asset, consistentRows)
	} else if (inspected) await plan(deps, job, asset, inspected)
	else if (fetched) await storeFetchedSource(deps, job, asset, fetched)
}

async function findAsset(deps: Deps, { orgId, assetId }: JobRow): Promise<AssetRow | null> {
	try {
		return await getAsset(deps, orgId, assetId)
	} catch (error) {
		// The asset was deleted a moment ago, together with its job.
		if (error instanceof AppError && error.code === 'not_found') return null
		throw error
	}
}

/** Makes the fetched object the source, pinned to its etag. */
async function storeFetchedSource(deps: Deps, job: JobRow, asset: AssetRow, task: TaskRow): Promise<void> {
	const { db, now, objects } = deps
	const location = findLargeOutput(task, task.spec, job.playbackId)
	const object = location && (await objects.vault.head(location.key))
	if (!object) throw new Error('the fetched source is missing from the vault')
	const source = { sourceKey: object.key, sourceEtag: object.etag, sourceSizeBytes: object.sizeBytes }
	const isKept = sql`exists (
		select 1 from assets as fetched where fetched.id = ${asset.id} and fetched.source_key = ${object.key}
	)`
	// A cancelled job deletes the file that it fetched.
	const isAllowed = sql`${hasStorageRoom(asset.orgId, object.sizeBytes, now)} and ${isJobUnfinished(job.id)}`
	const inspection = newInspectionTask({ ...asset, ...source }, job.requestedOptions, now)
	const { sourceRecorded } = await batch(db, {
		sourceRecorded: assetStore(db).recordSourceStatement(asset, source, now, isAllowed),
		inspectionInserted: taskStore(db).insertStatements(job, [inspection], now, isKept),
	})
	if (sourceRecorded.length === 0 && (await findAsset(deps, job))?.sourceKey === null) {
		const { tier } = await getOrg(deps, job.orgId)
		const message = `the tier ${tier} allows ${gigabytes(tierLimit(tier, 'storageBytes'))} GB of storage; this video would exceed them`
		await failJob(deps, { job, asset }, message)
		return
	}
	deps.defer(wakeFleet(deps))
}

const gigabytes = (bytes: number | null): number => (bytes ?? 0) / 1_000_000_000

async function plan(deps: Deps, job: JobRow, asset: AssetRow, { result }: TaskRow): Promise<void> {
	const { db, now } = deps
	if (result?.kind !== 'inspect') throw new Error('the inspection has no result')
	const [{ tier, videoCodecs: codecs }, machines] = await Promise.all([
		getOrg(deps, job.orgId),
		fleetStore(db).listCapable(now - OFFLINE_AFTER_MS),
	])
	let planned: ReturnType<typeof planJob>
	try {
		planned = planJob(result.info, {
			...job.requestedOptions,
			codecs,
			encoders: chooseEncoders(codecs, machines),
		})
	} catch (error) {
		if (!(error instanceof UnplayableError)) throw error
		await failJob(deps, { job, asset }, error.message)
		return
	}
	const { durationSec } = planned.plan
	const videos = planned.tasks.flatMap(({ spec }) => (spec.kind === 'video' ? spec.rungs : []))
	const encoders = Object.fromEntries(videos.map(({ id, encoder }) => [id, encoder]))
	const tasks = planned.tasks.map((task) => newTask(asset, task, durationSec, now))
	const limit = tierLimit(tier, 'encodeMinutesPerMonth')
	const newPlan = { info: result.info, plan: planned.plan, encoders, durationSec }
	const { jobPlanned } = await batch(db, {
		jobPlanned: jobStore(db).planStatement(job, newPlan, now, limit),
		durationRecorded: assetStore(db).recordDurationStatement(asset, durationSec, sql`changes() > 0`),
		tasksInserted: taskStore(db).insertStatements(job, tasks, now, sql`changes() > 0`),
	})
	if (jobPlanned.length === 0 && (await jobStore(db).find(job.id))?.plan === null) {
		// The duration is known only after the inspection.
		const message = `the tier ${tier} allows ${limit} minutes of encoding a month; this video would exceed them`
		await failJob(deps, { job, asset }, message)
		return
	}
	deps.defer(wakeFleet(deps))
}
