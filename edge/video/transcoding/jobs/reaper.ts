import { sql } from 'drizzle-orm'
import { DAY } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import { queueDue } from '../../../platform/work/sweep.ts'
import { assetStore } from '../../assets/store.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import { failTaskFinally } from '../kinds/kinds.ts'
import { attemptsEnded } from '../metrics.ts'
import { replaceHardwareEncoders } from '../plan/encoder-consistency.ts'
import { software } from '../plan/encoders.ts'
import { type LaneChange, listLanesToChange, mayLackMachine } from '../plan/lane-changes.ts'
import { isForEncoders, PROVIDER_LANE, toLane } from '../plan/lanes.ts'
import { findAdditionalCodec } from '../plan/ranks.ts'
import { MAX_ATTEMPTS, MAX_EXPIRIES } from '../plan/retry.ts'
import { fleetStore } from '../store/fleet-store.ts'
import { isUnfinishedJob, jobStore } from '../store/job-store.ts'
import { reaperStore, stalledSweep } from '../store/reaper-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { STOPPED_RESPONDING, taskStore } from '../store/task-store.ts'
import { makeCodecConsistent } from './apply-encoder-consistency.ts'
import { failJob, type Note, omitCodec } from './failing.ts'

const BATCH_SIZE = 100
const MAX_PRUNE_ROUNDS = 100
/** Covers machines that are off overnight, and those started for a first job. */
const MACHINE_LOOKBACK_MS = DAY
const NO_MACHINE = 'no machine of this installation can encode it'
const STUCK_AFTER_MS = 7 * DAY
const RETENTION_MS = 30 * DAY

/** Repairs jobs that are stuck. Runs every minute; every part may run twice, late, or not at all. */
export async function reapJobs(deps: Deps): Promise<void> {
	await endExpiredLeases(deps)
	await queueDue(deps, stalledSweep)
	await failStuck(deps)
	await checkLanes(deps)
}

async function endExpiredLeases(deps: Deps): Promise<void> {
	for (const task of await reaperStore(deps.db).listExpired(deps.now, BATCH_SIZE)) {
		const message = task.lane === PROVIDER_LANE ? 'the provider never answered' : STOPPED_RESPONDING
		const note = { reason: 'expired' as const, message, log: null }
		if (task.expiries + 1 < MAX_EXPIRIES && task.attempts < MAX_ATTEMPTS)
			await requeueExpired(deps, task, note)
		else await giveUp(deps, task, note)
	}
}

async function requeueExpired(deps: Deps, task: TaskRow, note: Note): Promise<void> {
	const { db, now } = deps
	const store = taskStore(db)
	const { taskRequeued } = await batch(db, {
		taskRequeued: store.requeueStatement(task.id, task.epoch, now, 'expired', sql`due_at <= ${now}`),
		failureRecorded: store.recordFailureStatement(task, note, now, sql`changes() > 0`),
	})
	if (taskRequeued.length > 0) incrementCounter(deps, attemptsEnded, { kind: task.kind, outcome: 'expired' })
}

/** Fails a task that seems to crash machines, so that it crashes no more of them. */
async function giveUp(deps: Deps, task: TaskRow, note: Note): Promise<void> {
	const found = await taskStore(deps.db).find(task.id)
	if (!found) return
	const times = Math.max(task.expiries + 1, 1)
	const message = `processing failed: ${times === 1 ? 'a machine' : `${times} machines in a row`} stopped responding while working on this video`
	deps.log.error('machines stopped responding during a task', new Error(message), {
		taskId: task.id,
		kind: task.kind,
	})
	// The machine may still renew the lease at the last moment.
	const failCondition = sql`due_at <= ${deps.now}`
	await failTaskFinally(deps, { ...found, task, failCondition, note }, message)
}

async function failStuck(deps: Deps): Promise<void> {
	const { db, now } = deps
	const store = reaperStore(db)
	for (const job of await store.listStuck(now - STUCK_AFTER_MS, BATCH_SIZE)) {
		const asset = await assetStore(db).find(job.orgId, job.assetId)
		// Running tasks are handled by their own deadlines.
		if (!asset || (await store.isRunning(job.id))) continue
		const message = 'no machine started work on this video within 7 days'
		const codecs = await store.listOpenCodecs(job.id)
		if (codecs.includes(null)) await failJob(deps, { job, asset }, message)
		else for (const codec of codecs) if (codec) await omitCodec(deps, job.id, codec, NO_MACHINE)
	}
}

/** Wakes machines while there is work. Work that no machine can do falls back to software, or is omitted. */
async function checkLanes(deps: Deps): Promise<void> {
	const store = fleetStore(deps.db)
	const lanes = (await store.listLanes()).filter(({ lane }) => lane !== PROVIDER_LANE).map(toLane)
	if (lanes.length === 0) return
	const encoding = lanes.filter(isForEncoders)
	if (encoding.some(mayLackMachine)) {
		const machines = await store.listSeen(deps.now - MACHINE_LOOKBACK_MS)
		for (const change of listLanesToChange(encoding, machines, deps.now)) await changeLane(deps, change)
	}
	await wakeFleet(deps)
}

async function changeLane(deps: Deps, { orgId, lane, encoders, what, before }: LaneChange): Promise<void> {
	for (const jobId of await fleetStore(deps.db).listJobsInLane(orgId, lane, before, BATCH_SIZE))
		await (what === 'use-software' ? replaceHardware(deps, jobId) : leaveCodecs(deps, jobId, encoders))
}

async function replaceHardware(deps: Deps, jobId: string): Promise<void> {
	const job = await jobStore(deps.db).find(jobId)
	if (!job || !isUnfinishedJob(job)) return
	const asset = await assetStore(deps.db).find(job.orgId, job.assetId)
	if (!asset) return
	const rows = await taskStore(deps.db).listByJob(jobId)
	for (const codec of [null, 'hevc', 'av1'] as const) {
		const own = rows.filter((row) => findAdditionalCodec(row) === codec)
		await makeCodecConsistent(deps, job, asset, codec, own, replaceHardwareEncoders)
	}
}

/** Omits codecs that no machine can encode. Never H.264: machines without it claim no tasks at all. */
async function leaveCodecs(deps: Deps, jobId: string, encoders: readonly string[]): Promise<void> {
	for (const codec of ['hevc', 'av1'] as const)
		if (encoders.includes(software[codec])) await omitCodec(deps, jobId, codec, NO_MACHINE)
}

/** Deletes old jobs daily, up to a limit per day. */
export async function pruneJobs(deps: Deps): Promise<void> {
	const store = reaperStore(deps.db)
	for (let i = 0; i < MAX_PRUNE_ROUNDS; i++)
		if ((await store.pruneEnded(deps.now - RETENTION_MS, BATCH_SIZE)) === 0) return
}
