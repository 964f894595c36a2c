import type { BatchItem } from 'drizzle-orm/batch'
import type { AssetRow } from '../assets/store.ts'
import type { Deps } from '../platform/deps.ts'
import { type Convergence, converge, type Pins } from './converge.ts'
import { failJob, leaveOut } from './failing.ts'
import { type JobRow, jobStore } from './job-store.ts'
import { type AdditionalCodec, additionalCodecOf } from './ranks.ts'
import { type TaskRow, taskStore } from './task-store.ts'
import { wakeFleet } from './wake.ts'

/**
 * The tasks as they are when those that do not fit together are put right. null if H.264 is among them: there is
 * nothing to publish then.
 */
export async function convergeJob(
	deps: Deps,
	job: JobRow,
	asset: AssetRow,
	rows: readonly TaskRow[],
): Promise<readonly TaskRow[] | null> {
	let settled = rows
	for (const codec of [null, 'hevc', 'av1'] as const) {
		const own = rows.filter((row) => additionalCodecOf(row) === codec)
		const moved = await convergeCodec(deps, job, asset, codec, own, converge)
		if (moved === null) continue
		if (codec === null) return null
		settled = settled.map((row) => (own.includes(row) ? { ...row, state: moved } : row))
	}
	return settled
}

/** Brings the tasks of one codec to where they fit; answers the state they are in then, null if nothing was to do. */
export async function convergeCodec(
	deps: Deps,
	job: JobRow,
	asset: AssetRow,
	codec: AdditionalCodec | null,
	rows: readonly TaskRow[],
	find: (pins: Pins, rows: readonly TaskRow[]) => Convergence,
): Promise<'queued' | 'cancelled' | null> {
	const found = find(job.encoders ?? {}, rows)
	if (found.state === 'fits') return null
	if (found.state === 'remake') {
		await remakeTasks(deps, job, found.changes)
		return 'queued'
	}
	if (codec) await leaveOut(deps, job.id, codec, found.message)
	else await failJob(deps, { task: null, job, asset }, { message: found.message, note: null })
	return 'cancelled'
}

async function remakeTasks(
	deps: Deps,
	job: Pick<JobRow, 'id'>,
	changes: Extract<Convergence, { state: 'remake' }>['changes'],
): Promise<void> {
	const { db, now } = deps
	const pins = Object.fromEntries(
		changes.flatMap(({ spec }) => spec.rungs.map(({ id, encoder }) => [id, encoder])),
	)
	deps.log.info('tasks are to be made by other encoders', { jobId: job.id, tasks: changes.length })
	await db.batch([
		jobStore(db).repin(job.id, pins, now),
		...(taskStore(db).respecify(changes, now) as BatchItem<'sqlite'>[]),
	])
	deps.defer(wakeFleet(deps))
}
