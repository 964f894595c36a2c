import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import type { AssetRow } from '../../assets/store.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import { type Consistency, findInconsistentChunks, type Pins } from '../plan/encoder-consistency.ts'
import { type AdditionalCodec, findAdditionalCodec } from '../plan/ranks.ts'
import { type JobRow, jobStore } from '../store/job-store.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'
import { failJob, omitCodec } from './failing.ts'

/**
 * Corrects inconsistent tasks and returns all tasks in their new states. Returns null if H.264 tasks were inconsistent:
 * then there is nothing to publish.
 */
export async function makeJobConsistent(
	deps: Deps,
	job: JobRow,
	asset: AssetRow,
	rows: readonly TaskRow[],
): Promise<readonly TaskRow[] | null> {
	let consistentRows = rows
	for (const codec of [null, 'hevc', 'av1'] as const) {
		const own = rows.filter((row) => findAdditionalCodec(row) === codec)
		const newState = await makeCodecConsistent(deps, job, asset, codec, own, findInconsistentChunks)
		if (newState === null) continue
		if (codec === null) return null
		consistentRows = consistentRows.map((row) => (own.includes(row) ? { ...row, state: newState } : row))
	}
	return consistentRows
}

/** Makes the tasks of one codec consistent. Returns their new state, or null if they already were. */
export async function makeCodecConsistent(
	deps: Deps,
	job: JobRow,
	asset: AssetRow,
	codec: AdditionalCodec | null,
	rows: readonly TaskRow[],
	decide: (pins: Pins, rows: readonly TaskRow[]) => Consistency,
): Promise<'queued' | 'cancelled' | null> {
	const consistency = decide(job.encoders ?? {}, rows)
	if (consistency.state === 'fits') return null
	if (consistency.state === 'encode-again') {
		await encodeTasksAgain(deps, job, consistency.changes)
		return 'queued'
	}
	if (codec) await omitCodec(deps, job.id, codec, consistency.message)
	else await failJob(deps, { job, asset }, consistency.message)
	return 'cancelled'
}

async function encodeTasksAgain(
	deps: Deps,
	job: Pick<JobRow, 'id'>,
	changes: Extract<Consistency, { state: 'encode-again' }>['changes'],
): Promise<void> {
	const { db, now } = deps
	const pins = Object.fromEntries(
		changes.flatMap(({ spec }) => spec.rungs.map(({ id, encoder }) => [id, encoder])),
	)
	deps.log.info('requeued tasks with other encoders', { jobId: job.id, tasks: changes.length })
	await batch(db, {
		encodersChanged: jobStore(db).repinStatement(job.id, pins, now),
		tasksRespecified: taskStore(db).respecifyStatements(changes, now),
	})
	deps.defer(wakeFleet(deps))
}
