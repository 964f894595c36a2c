import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { SECOND } from '../../../platform/clock.ts'
import { computeRank, isAfterJob, tiers } from '../plan/ranks.ts'
import { isUnfinishedJob, type JobRow } from '../store/job-store.ts'
import type { TaskRow } from '../store/task-row.ts'

type TaskProgress = Pick<TaskRow, 'kind' | 'state' | 'rank' | 'weight' | 'progress'>

const plannedKinds: readonly TaskKind[] = ['remux', 'video', 'audio', 'stills']

/** Sums over the tasks of a job. */
export type Work = {
	/** Total weight of planned tasks, and the part that is done. */
	total: number
	done: number
	/** Progress of the fetch, from 0 to 1; null if nothing is fetched. */
	fetched: number | null
	inspected: number
	open: readonly TaskKind[]
}

/** Percent when the plan is made, and when only publishing is left. */
const INSPECTED = 5
const ENCODED = 98
/** Below this share of the work, no estimate is given. */
const ESTIMATE_FROM = 0.02

/** Share of the fetch in the work before the plan. */
const FETCH_SHARE = 0.8

const inspectionShare = ({ fetched, inspected }: Work): number =>
	Math.min(1, fetched === null ? inspected : FETCH_SHARE * fetched + (1 - FETCH_SHARE) * inspected)

const shareOf = ({ total, done }: Work): number => (total > 0 ? Math.min(1, done / total) : 0)

export function computeProgressPercent(job: Pick<JobRow, 'status' | 'plannedAt'>, work: Work): number {
	if (job.status === 'completed') return 100
	if (job.plannedAt === null) return Math.floor(INSPECTED * inspectionShare(work))
	return Math.floor(INSPECTED + (ENCODED - INSPECTED) * shareOf(work))
}

/** Returns the current step, or null if the job is not running. */
export function findRunningStep(job: Pick<JobRow, 'status' | 'plannedAt'>, { open }: Work): string | null {
	if (!isUnfinishedJob(job)) return null
	if (job.plannedAt === null) return open.includes('fetch') ? 'fetching' : 'inspecting'
	if (open.includes('video') || open.includes('audio')) return 'encoding'
	if (open.includes('remux')) return 'packaging'
	return open.includes('stills') ? 'stills' : 'finishing'
}

/** Computes the sums of processing-store.ts from loaded rows. */
export function sumWork(rows: readonly TaskProgress[]): Work {
	const of = (kind: TaskKind) => rows.filter((row) => row.kind === kind)
	const planned = rows.filter(
		({ kind, state, rank }) =>
			plannedKinds.includes(kind) && (state !== 'cancelled' || rank < computeRank(tiers.hevc, 0)),
	)
	const open = rows.filter(
		({ kind, state }) => !isAfterJob(kind) && (state === 'queued' || state === 'running'),
	)
	const furthest = (kind: TaskKind) => Math.max(0, ...of(kind).map(({ progress }) => progress))
	return {
		total: planned.reduce((sum, { weight }) => sum + weight, 0),
		done: planned.reduce((sum, { weight, progress }) => sum + weight * progress, 0),
		fetched: of('fetch').length > 0 ? furthest('fetch') : null,
		inspected: furthest('inspect'),
		open: [...new Set(open.map(({ kind }) => kind))],
	}
}

/** Extrapolates the current pace; null before enough work is done. */
export function estimateSecondsLeft(
	job: Pick<JobRow, 'status' | 'plannedAt'>,
	work: Work,
	now: number,
): number | null {
	const share = shareOf(work)
	if (!isUnfinishedJob(job) || job.plannedAt === null || share < ESTIMATE_FROM) return null
	return Math.ceil((((now - job.plannedAt) / SECOND) * (1 - share)) / share)
}
