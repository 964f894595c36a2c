import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { eventPayload } from '../assets/assets.ts'
import { markFailed } from '../assets/moves.ts'
import type { AssetRow } from '../assets/store.ts'
import type { Deps } from '../platform/deps.ts'
import { recordEventIfChanged, relayEvents } from '../platform/outbox.ts'
import { handOverPurges } from '../platform/storage-purge.ts'
import { type JobRow, jobStore } from './job-store.ts'
import { abortUploads } from './large-output.ts'
import { type AdditionalCodec, additionalCodecOf, rankIn, tiers } from './ranks.ts'
import { type BegunUpload, type FailureReason, isGivenUp, type TaskRow, taskStore } from './task-store.ts'

type Note = { reason: FailureReason; message: string; log: string | null }

type Failing = {
	/** The task that is to blame, as long as it is held and `blame` holds; null if it is none of them. */
	task: TaskRow | null
	blame?: SQL
	job: Pick<JobRow, 'id'>
	asset: Pick<AssetRow, 'id' | 'orgId' | 'playbackId' | 'title'>
}

/**
 * A codec beside H.264 is not made after all: the job goes on without it. What was made of it goes when the job ends.
 */
export async function leaveOut(
	deps: Deps,
	jobId: string,
	codec: AdditionalCodec,
	reason: string,
	{ blamed, condition }: { blamed: readonly BatchItem<'sqlite'>[]; condition?: SQL } = { blamed: [] },
): Promise<void> {
	const { db, now } = deps
	const isLeftOut = sql`exists (select 1 from jobs as lean where lean.id = ${jobId} and lean.left_out ->> ${`$.${codec}`} is not null)`
	const end = jobStore(db).leaveOut(jobId, codec, reason, now, condition)
	const [first, ...rest] = [
		...blamed,
		end,
		taskStore(db).cancelTier(jobId, rankIn(tiers[codec], 0), now, isLeftOut),
	]
	if (first) await db.batch([first, ...rest])
	deps.log.warn('a codec is left out', { jobId, codec, reason })
	await deps.send({ type: 'job.advance', jobId })
}

/**
 * The end of a job that cannot succeed: the asset says why, unless it can be played already, what is still being done
 * for it stops, and what was made goes. A download is one file of many, and a codec beside H.264 one of several: the
 * job does not end with them.
 */
export async function failJob(
	deps: Deps,
	{ task, blame, job, asset }: Failing,
	{ message, note }: { message: string; note: Note | null },
): Promise<boolean> {
	const { db, now } = deps
	const tasks = taskStore(db)
	const blamed: BatchItem<'sqlite'>[] = task
		? [
				tasks.giveUp(task.id, task.epoch, now, blame),
				...(note ? [tasks.noteFailure(task, note, now, sql`changes() > 0`)] : []),
			]
		: []
	const [first, ...rest] = blamed
	if (first && task?.kind === 'download') {
		const dead = jobStore(db).purgeDead(job.id, now, isGivenUp(task))
		const [given] = await db.batch([first, ...rest, dead])
		deps.defer(abortUploads(deps, given as BegunUpload[]))
		deps.defer(handOverPurges(deps))
		return false
	}
	const codec = task && additionalCodecOf(task)
	if (codec) {
		await leaveOut(deps, job.id, codec, message, { blamed, condition: isGivenUp(task) })
		return false
	}
	const store = jobStore(db)
	const isOver = sql`exists (select 1 from jobs as failed where failed.id = ${job.id} and failed.status = 'failed')`
	const hasNothing = sql`exists (select 1 from jobs as failed where failed.id = ${job.id} and failed.status = 'failed' and failed.published_version = 0)`
	const payload = { ...eventPayload(asset), jobId: job.id, errorMessage: message }
	const end = store.fail(job.id, message, now, task ? isGivenUp(task) : undefined)
	const results: readonly unknown[] = await db.batch([
		...((first ? [first, ...rest, end] : [end]) as [BatchItem<'sqlite'>]),
		markFailed(db, asset, message, now, sql`changes() > 0`),
		recordEventIfChanged(db, now, { type: 'asset.error', orgId: asset.orgId, payload }),
		tasks.cancelOpen(job.id, now, isOver),
		store.purgeAll(job.id, now, hasNothing),
		store.purgeDead(job.id, now, isOver),
		store.purgeOtherMasters(job.id, now, isOver),
	])
	const [ended, , , cancelled] = results.slice(blamed.length) as BegunUpload[][]
	const given = (first ? results[0] : []) as BegunUpload[]
	deps.defer(relayEvents(deps))
	deps.defer(abortUploads(deps, [...given, ...(cancelled ?? [])]))
	deps.defer(handOverPurges(deps))
	return ended?.length === 1
}
