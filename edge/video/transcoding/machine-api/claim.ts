import { sql } from 'drizzle-orm'
import type { LeasedTask } from '#schema/contract/video/leases.ts'
import { type TaskKind, TaskSpec } from '#schema/contract/video/tasks.ts'
import { SECOND } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { incrementCounter } from '../../../platform/metrics/count.ts'
import { formatTraceparent } from '../../../platform/network/trace.ts'
import { MAX_EXPIRES_SECONDS } from '../../../platform/storage/presign.ts'
import { markProcessingStatement } from '../../assets/moves.ts'
import { formatSourceVersionId } from '../jobs/new-task.ts'
import { addUrlsToSpec } from '../kinds/kinds.ts'
import { attemptsEnded } from '../metrics.ts'
import { claimTaskStatement } from '../store/claim-store.ts'
import { jobStore } from '../store/job-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { type FoundTask, taskStore } from '../store/task-store.ts'
import { abandonUpload } from './large-output.ts'

/** Lets a read that starts just before the deadline finish. */
const READ_GRACE_SECONDS = 900

const allKinds = TaskSpec.options.map(({ shape }) => shape.kind.value)

export async function claimTask(
	deps: Deps,
	{ machineId, tokenVersion }: { machineId: string; tokenVersion: number },
	{ kinds = allKinds, sources }: { kinds?: readonly TaskKind[] | undefined; sources: readonly string[] },
): Promise<LeasedTask | null> {
	const { db, now } = deps
	const [claimed] = await claimTaskStatement(db, {
		machineId,
		tokenVersion,
		kinds,
		sources,
		now,
		leaseMs: deps.env.vars.LEASE_SECONDS * SECOND,
	})
	const found = claimed && (await taskStore(db).find(claimed.id))
	// The task was deleted, or ended with its job, after the claim statement.
	if (!claimed || found?.task.epoch !== claimed.epoch || found.task.state !== 'running') return null
	if (claimed.expiries > 0) await recordTakeover(deps, claimed)
	// If the Worker dies here, the machine never gets the task. The lease expires and the next claim repeats this.
	if (found.job.status === 'queued')
		await db.batch([
			jobStore(db).startStatement(found.job.id, machineId, now),
			markProcessingStatement(db, found.asset, now, sql`changes() > 0`),
		])
	if (claimed.uploadId !== null) deps.defer(abandonUpload(deps, claimed))
	return lease(deps, found)
}

async function recordTakeover(deps: Deps, claimed: TaskRow): Promise<void> {
	const recorded = await taskStore(deps.db).recordTakeoverStatement(claimed, deps.now)
	if (recorded.length > 0) incrementCounter(deps, attemptsEnded, { kind: claimed.kind, outcome: 'expired' })
}

async function lease(deps: Deps, found: FoundTask): Promise<LeasedTask> {
	const { task, job } = found
	const readSeconds = Math.min(task.deadlineSec + READ_GRACE_SECONDS, MAX_EXPIRES_SECONDS)
	return {
		id: task.id,
		epoch: task.epoch,
		spec: await addUrlsToSpec(deps, task, readSeconds),
		source: task.sourceId === null ? null : await sourceOf(deps, found, readSeconds),
		leaseSeconds: deps.env.vars.LEASE_SECONDS,
		deadlineSec: task.deadlineSec,
		traceparent: job.traceId === null ? null : formatTraceparent(job.traceId),
	}
}

async function sourceOf({ objects }: Deps, { asset }: FoundTask, expiresSeconds: number) {
	const { sourceKey, sourceEtag, sourceSizeBytes } = asset
	if (sourceKey === null || sourceEtag === null || !sourceSizeBytes)
		throw new Error('the source of a task is missing')
	const { url } = await objects.presign({ bucket: 'vault', key: sourceKey, method: 'GET', expiresSeconds })
	return { id: formatSourceVersionId(asset), url, sizeBytes: sourceSizeBytes, etag: sourceEtag }
}
