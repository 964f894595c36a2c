import { type SQL, sql } from 'drizzle-orm'
import type { LeasedTask } from '#schema/contract/leases.ts'
import type { TaskKind, TaskSpec, TaskSpecOf } from '#schema/contract/tasks.ts'
import { markProcessing } from '../assets/moves.ts'
import { SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { MAX_EXPIRES_SECONDS } from '../platform/presign.ts'
import { claimTask as claimStatement, type TaskRow } from './claim-store.ts'
import { downloadKeys } from './download-keys.ts'
import { jobStore } from './job-store.ts'
import { abandonUpload } from './large-output.ts'
import { sourceIdOf } from './new-task.ts'
import { taskStore } from './task-store.ts'

/** What is read at the last moment may still take its time. */
const READ_SECONDS_MORE = 900

const allKinds: readonly TaskKind[] = ['fetch', 'inspect', 'remux', 'video', 'audio', 'stills', 'download']

export const kindOfMachine = (machineId: string): SQL =>
	sql`(select machines.capabilities ->> '$.kind' from machines where machines.id = ${machineId})`

type Found = NonNullable<Awaited<ReturnType<ReturnType<typeof taskStore>['find']>>>

export async function claimTask(
	deps: Deps,
	{ machineId, tokenVersion }: { machineId: string; tokenVersion: number },
	{ kinds = allKinds, sources }: { kinds?: readonly TaskKind[] | undefined; sources: readonly string[] },
): Promise<LeasedTask | null> {
	const { db, now } = deps
	const [claimed] = await claimStatement(db, {
		machineId,
		tokenVersion,
		kinds,
		sources,
		now,
		leaseMs: deps.env.vars.LEASE_SECONDS * SECOND,
	})
	const found = claimed && (await taskStore(db).find(claimed.id))
	// Deleted, or ended with its job, since the statement before.
	if (!claimed || found?.task.epoch !== claimed.epoch || found.task.state !== 'running') return null
	// Nobody has heard of the task yet: should the Worker die here, the lease runs out and the next claim does this.
	if (found.job.status === 'queued')
		await db.batch([
			jobStore(db).start(found.job.id, kindOfMachine(machineId), now),
			markProcessing(db, found.asset, now, sql`changes() > 0`),
		])
	if (claimed.uploadId !== null) deps.defer(abandonUpload(deps, claimed))
	return lease(deps, found)
}

async function lease(deps: Deps, found: Found): Promise<LeasedTask> {
	const { task } = found
	const spec = task.spec as TaskSpec
	const readSeconds = Math.min(task.deadlineSec + READ_SECONDS_MORE, MAX_EXPIRES_SECONDS)
	return {
		id: task.id,
		epoch: task.epoch,
		spec: spec.kind === 'download' ? await addressed(deps, task, spec, readSeconds) : spec,
		source: task.sourceId === null ? null : await sourceOf(deps, found, readSeconds),
		leaseSeconds: deps.env.vars.LEASE_SECONDS,
		deadlineSec: task.deadlineSec,
	}
}

async function sourceOf({ objects }: Deps, { asset }: Found, expiresSeconds: number) {
	const { sourceKey, sourceEtag, sourceSizeBytes } = asset
	if (sourceKey === null || sourceEtag === null || !sourceSizeBytes)
		throw new Error('a task reads a source that is not there')
	const { url } = await objects.presign({ bucket: 'vault', key: sourceKey, method: 'GET', expiresSeconds })
	return { id: sourceIdOf(asset), url, sizeBytes: sourceSizeBytes, etag: sourceEtag }
}

/** Which objects a download is made of is looked up when it is taken: for a long video they are very many. */
async function addressed(
	{ db, objects }: Deps,
	{ jobId }: TaskRow,
	spec: TaskSpecOf<'download'>,
	expiresSeconds: number,
): Promise<TaskSpecOf<'download'>> {
	const [job, rows] = await Promise.all([jobStore(db).find(jobId), taskStore(db).listOfJob(jobId)])
	if (!job) throw new Error('a task outlived its job')
	const { video, audio } = downloadKeys(job, rows, spec.rung)
	const sign = (keys: string[]) =>
		Promise.all(
			keys.map(async (key) => {
				const { url } = await objects.presign({ bucket: 'media', key, method: 'GET', expiresSeconds })
				return url
			}),
		)
	return { ...spec, video: await sign(video), audio: await sign(audio) }
}
