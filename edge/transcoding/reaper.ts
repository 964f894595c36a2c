import { sql } from 'drizzle-orm'
import { assetStore } from '../assets/store.ts'
import { DAY, MINUTE, SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { withoutHardware } from './converge.ts'
import { convergeCodec } from './convergence.ts'
import { isSoftware, software } from './encoders.ts'
import { failJob, leaveOut } from './failing.ts'
import { fleetStore } from './fleet-store.ts'
import { jobStore, unfinished } from './job-store.ts'
import { additionalCodecOf } from './ranks.ts'
import { reaperStore } from './reaper-store.ts'
import { MAX_ATTEMPTS, MAX_EXPIRIES } from './retry.ts'
import { type TaskRow, taskStore } from './task-store.ts'
import { wakeFleet } from './wake.ts'

const AT_ONCE = 100
/** Whoever did the last task looks what is next at once; after that long they did not live to. */
const FORGOTTEN_AFTER_MS = 30 * SECOND
/** A job waits for hardware that was there when it was planned, but not for long. */
const HARDWARE_GONE_MS = 2 * MINUTE
/** A machine that is off over night comes back, and one that begins with its first job needs a while to register. */
const LOOKED_BACK_MS = DAY
const CODEC_WAITS_MS = 10 * MINUTE
const NOBODY = 'No machine of this installation can make it.'
const STUCK_AFTER_MS = 7 * DAY
const KEPT_MS = 30 * DAY

/** Each minute: what ought to happen by itself and did not. Every part may run twice, late, or not at all. */
export async function reapJobs(deps: Deps): Promise<void> {
	await endExpiredLeases(deps)
	await advanceForgotten(deps)
	await failStuck(deps)
	await tendLanes(deps)
}

async function endExpiredLeases(deps: Deps): Promise<void> {
	const { db, now } = deps
	const store = taskStore(db)
	for (const task of await reaperStore(db).listExpired(now, AT_ONCE)) {
		const log = null
		const message = 'The machine stopped answering.'
		const isStillExpired = sql`due_at <= ${now}`
		if (task.expiries + 1 < MAX_EXPIRIES && task.attempts < MAX_ATTEMPTS)
			await db.batch([
				store.putBack(task.id, task.epoch, now, 'expired', isStillExpired),
				store.noteFailure(task, { reason: 'expired', message, log }, now, sql`changes() > 0`),
			])
		else await giveUp(deps, task, { reason: 'expired' as const, message, log })
	}
}

/** What takes machines down must not take down the next. */
async function giveUp(deps: Deps, task: TaskRow, note: Parameters<typeof failJob>[2]['note']): Promise<void> {
	const found = await taskStore(deps.db).find(task.id)
	if (!found) return
	const times = Math.max(task.expiries + 1, 1)
	const message = `Processing was given up: ${times === 1 ? 'a machine' : `${times} machines, one after the other,`} stopped answering while working on this video.`
	deps.log.error('a task brings machines down', new Error(message), { taskId: task.id, kind: task.kind })
	// Its machine may come back at the last moment.
	const blame = sql`due_at <= ${deps.now}`
	await failJob(deps, { ...found, task, blame }, { message, note })
}

async function advanceForgotten(deps: Deps): Promise<void> {
	const forgotten = await reaperStore(deps.db).listForgotten(deps.now - FORGOTTEN_AFTER_MS, AT_ONCE)
	for (const jobId of forgotten) await deps.send({ type: 'job.advance', jobId })
}

async function failStuck(deps: Deps): Promise<void> {
	const { db, now } = deps
	const store = reaperStore(db)
	for (const job of await store.listStuck(now - STUCK_AFTER_MS, AT_ONCE)) {
		const asset = await assetStore(db).find(job.orgId, job.assetId)
		// Each running task has an end of its own.
		if (!asset || (await store.isRunning(job.id))) continue
		const message = 'No machine took up the work on this video within 7 days.'
		const codecs = await store.listOpenCodecs(job.id)
		if (codecs.includes(null)) await failJob(deps, { task: null, job, asset }, { message, note: null })
		else for (const codec of codecs) if (codec) await leaveOut(deps, job.id, codec, NOBODY)
	}
}

/** Machines are woken while there is work; work that none of them could do is changed, or left out. */
async function tendLanes(deps: Deps): Promise<void> {
	const store = fleetStore(deps.db)
	const lanes = (await store.listLanes()).map((each) => ({
		...each,
		encoders: (JSON.parse(each.lane) as string[]).slice(1),
	}))
	if (lanes.length === 0) return
	const needing = lanes.filter(({ encoders }) => !encoders.every((name) => name === software.h264))
	if (needing.length > 0) {
		const machines = await store.listSeen(deps.now - LOOKED_BACK_MS)
		const isAble = (since: number, encoders: readonly string[]) =>
			machines.some(
				(each) => each.lastSeenAt >= since && encoders.every((name) => each.encoders.includes(name)),
			)
		for (const { orgId, lane, encoders } of needing) {
			const jobsSince = (before: number) => store.listJobsOfLane(orgId, lane, before, AT_ONCE)
			if (!encoders.every(isSoftware)) {
				if (isAble(deps.now - HARDWARE_GONE_MS, encoders)) continue
				for (const jobId of await jobsSince(deps.now)) await leaveHardware(deps, jobId)
			} else if (machines.length > 0 && !isAble(0, encoders))
				for (const jobId of await jobsSince(deps.now - CODEC_WAITS_MS))
					await leaveCodecs(deps, jobId, encoders)
		}
	}
	await wakeFleet(deps)
}

async function leaveHardware(deps: Deps, jobId: string): Promise<void> {
	const job = await jobStore(deps.db).find(jobId)
	if (!job || !(unfinished as readonly string[]).includes(job.status)) return
	const asset = await assetStore(deps.db).find(job.orgId, job.assetId)
	if (!asset) return
	const rows = await taskStore(deps.db).listOfJob(jobId)
	for (const codec of [null, 'hevc', 'av1'] as const) {
		const own = rows.filter((row) => additionalCodecOf(row) === codec)
		await convergeCodec(deps, job, asset, codec, own, withoutHardware)
	}
}

/** H.264 is never among them: whoever cannot make it takes no tasks at all. */
async function leaveCodecs(deps: Deps, jobId: string, encoders: readonly string[]): Promise<void> {
	for (const codec of ['hevc', 'av1'] as const)
		if (encoders.includes(software[codec])) await leaveOut(deps, jobId, codec, NOBODY)
}

/** Run daily. What is left over goes the next day. */
export async function forgetJobs(deps: Deps): Promise<void> {
	const store = reaperStore(deps.db)
	for (let i = 0; i < AT_ONCE; i++) if ((await store.forgetOver(deps.now - KEPT_MS, AT_ONCE)) === 0) return
}
