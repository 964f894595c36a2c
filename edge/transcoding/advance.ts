import { sql } from 'drizzle-orm'
import type { AdvanceJob } from '#schema/contract/messages.ts'
import type { TaskSpec } from '#schema/contract/tasks.ts'
import { getAsset } from '../assets/assets.ts'
import { type AssetRow, assetStore } from '../assets/store.ts'
import { OFFLINE_AFTER_MS } from '../diagnostics/machines.ts'
import { AppError } from '../http/errors.ts'
import { limitOf } from '../orgs/limits.ts'
import { getOrg } from '../orgs/orgs.ts'
import { hasRoom } from '../orgs/storage.ts'
import { HOUR } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { convergeJob } from './convergence.ts'
import { chooseEncoders } from './encoders.ts'
import { failJob } from './failing.ts'
import { fleetStore } from './fleet-store.ts'
import { type JobRow, jobStore, unfinished } from './job-store.ts'
import { newTask } from './new-task.ts'
import { largeOutput } from './places.ts'
import { planJob, UnplayableError } from './plan.ts'
import { inspection } from './process.ts'
import { publishJob } from './publish.ts'
import { type TaskRow, taskStore } from './task-store.ts'
import { wakeFleet } from './wake.ts'
import type { Asked } from './wish.ts'

/** Right after an answer. What fails is tried again by the queue; what dies with the Worker is found by the reaper. */
export async function advanceSoon(deps: Deps, jobId: string): Promise<void> {
	try {
		await advanceJob(deps, { jobId })
	} catch (error) {
		deps.log.error('the job was not advanced', error, { jobId })
		await deps.send({ type: 'job.advance', jobId })
	}
}

/** Does whatever is next for a job, if anything. May run twice at once, or after a run that died anywhere. */
export async function advanceJob(deps: Deps, { jobId }: Pick<AdvanceJob, 'jobId'>): Promise<void> {
	const store = jobStore(deps.db)
	const job = await store.beginRun(jobId)
	if (!job) return
	if ((unfinished as readonly string[]).includes(job.status)) await takeStep(deps, job)
	await store.endRun(job)
}

/** Nobody was able to look what is next, for so long that waiting on would be no use to anyone. */
const HELPLESS_AFTER_MS = HOUR

const HELPLESS =
	'Something went wrong on our side while this video was processed. Process it again, or ask who runs this service.'

/** A message of a job was given up for good. If none that came after it fared better, the job ends and says so. */
export async function giveUpJob(deps: Deps, { jobId }: Pick<AdvanceJob, 'jobId'>): Promise<void> {
	const { db, now } = deps
	const job = await jobStore(db).find(jobId)
	if (job?.advanceAt == null || job.advanceAt > now - HELPLESS_AFTER_MS) return
	const asset = await findAsset(deps, job)
	if (asset) await failJob(deps, { task: null, job, asset }, { message: HELPLESS, note: null })
}

async function takeStep(deps: Deps, job: JobRow): Promise<void> {
	const rows = await taskStore(deps.db).listOfJob(job.id)
	const asset = await findAsset(deps, job)
	if (!asset) return
	const result = (kind: TaskRow['kind']) => rows.find((row) => row.kind === kind && row.state === 'done')
	const inspected = result('inspect')
	const fetched = result('fetch')
	if (job.plan !== null) {
		const settled = await convergeJob(deps, job, asset, rows)
		if (settled) await publishJob(deps, job, asset, settled)
	} else if (inspected) await plan(deps, job, asset, inspected)
	else if (fetched) await keepFetched(deps, job, asset, fetched)
}

async function findAsset(deps: Deps, { orgId, assetId }: JobRow): Promise<AssetRow | null> {
	try {
		return await getAsset(deps, orgId, assetId)
	} catch (error) {
		// Deleted a moment ago, and the job with it.
		if (error instanceof AppError && error.code === 'not_found') return null
		throw error
	}
}

/** What was fetched is the source from now on, in this very version. */
async function keepFetched(deps: Deps, job: JobRow, asset: AssetRow, task: TaskRow): Promise<void> {
	const { db, now, objects } = deps
	const place = largeOutput(task, task.spec as TaskSpec, job.playbackId)
	const object = place && (await objects.vault.head(place.key))
	if (!object) throw new Error('a fetched source is not where it was put')
	const source = { sourceKey: object.key, sourceEtag: object.etag, sourceSizeBytes: object.sizeBytes }
	const isKept = sql`exists (select 1 from assets as fetched where fetched.id = ${asset.id} and fetched.source_key = ${object.key})`
	const room = hasRoom(asset.orgId, object.sizeBytes)
	const [kept] = await db.batch([
		assetStore(db).keepSource(asset, source, now, room),
		...taskStore(db).insert(job, [inspection({ ...asset, ...source }, job.wish as Asked, now)], now, isKept),
	])
	if (kept.length === 0 && (await findAsset(deps, job))?.sourceKey === null) {
		const { tier } = await getOrg(deps, job.orgId)
		const message = `The tier ${tier} allows ${gigabytes(limitOf(tier, 'storageBytes'))} GB of storage; this video would exceed them.`
		await failJob(deps, { task: null, job, asset }, { message, note: null })
		return
	}
	deps.defer(wakeFleet(deps))
}

const gigabytes = (bytes: number | null): number => (bytes ?? 0) / 1_000_000_000

async function plan(deps: Deps, job: JobRow, asset: AssetRow, { result }: TaskRow): Promise<void> {
	const { db, now } = deps
	if (result?.kind !== 'inspect') throw new Error('an inspection without what it found')
	const asked = job.wish as Asked
	const [{ tier, videoCodecs: codecs }, machines] = await Promise.all([
		getOrg(deps, job.orgId),
		fleetStore(db).listCapable(now - OFFLINE_AFTER_MS),
	])
	let made: ReturnType<typeof planJob>
	try {
		made = planJob(result.info, { ...asked, codecs, encoders: chooseEncoders(codecs, machines) })
	} catch (error) {
		if (!(error instanceof UnplayableError)) throw error
		await failJob(deps, { task: null, job, asset }, { message: error.message, note: null })
		return
	}
	const { durationSec } = made.plan
	const videos = made.tasks.flatMap(({ spec }) => (spec.kind === 'video' ? spec.rungs : []))
	const encoders = Object.fromEntries(videos.map(({ id, encoder }) => [id, encoder]))
	const tasks = made.tasks.map((task) => newTask(asset, task, durationSec, now))
	const limit = limitOf(tier, 'encodeMinutesPerMonth')
	const [planned] = await db.batch([
		jobStore(db).plan(job, { info: result.info, plan: made.plan, encoders, durationSec }, now, limit),
		assetStore(db).noteDuration(asset, durationSec, sql`changes() > 0`),
		...taskStore(db).insert(job, tasks, now, sql`changes() > 0`),
	])
	if (planned.length === 0 && (await jobStore(db).find(job.id))?.plan === null) {
		// Only now it is known how many minutes it takes.
		const message = `The tier ${tier} allows ${limit} minutes of encoding a month; this video would exceed them.`
		await failJob(deps, { task: null, job, asset }, { message, note: null })
		return
	}
	deps.defer(wakeFleet(deps))
}
