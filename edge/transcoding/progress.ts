import type { TaskKind } from '#schema/contract/tasks.ts'
import { SECOND } from '../platform/clock.ts'
import type { JobRow } from './job-store.ts'

/** What the tasks of a job add up to. */
export type Work = {
	/** Weight of what is planned, and of what of it is done. */
	total: number
	done: number
	/** How far bringing the source here and looking into it are, from 0 to 1; null where nothing is to be brought. */
	fetched: number | null
	inspected: number
	open: readonly TaskKind[]
}

/** Percent until the plan is made, and from where on only publishing is left. */
const INSPECTED = 5
const MADE = 98
/** Before this share of the work is done its pace says nothing. */
const ESTIMATE_FROM = 0.02

/** Of what comes before the plan; a whole film is to be brought, and then looked through once. */
const FETCHING = 0.8

const isRunning = ({ status }: Pick<JobRow, 'status'>) => status === 'queued' || status === 'processing'

const lookedInto = ({ fetched, inspected }: Work): number =>
	Math.min(1, fetched === null ? inspected : FETCHING * fetched + (1 - FETCHING) * inspected)

const shareOf = ({ total, done }: Work): number => (total > 0 ? Math.min(1, done / total) : 0)

export function percentOf(job: Pick<JobRow, 'status' | 'plannedAt'>, work: Work): number {
	if (job.status === 'completed') return 100
	if (job.plannedAt === null) return Math.floor(INSPECTED * lookedInto(work))
	return Math.floor(INSPECTED + (MADE - INSPECTED) * shareOf(work))
}

/** What the job is at; null when nothing runs. */
export function stepOf(job: Pick<JobRow, 'status' | 'plannedAt'>, { open }: Work): string | null {
	if (!isRunning(job)) return null
	if (job.plannedAt === null) return open.includes('fetch') ? 'fetching' : 'inspecting'
	if (open.includes('video') || open.includes('audio')) return 'encoding'
	if (open.includes('remux')) return 'packaging'
	return open.includes('stills') ? 'stills' : 'finishing'
}

/** At the pace of so far; null while there is none. */
export function secondsLeftOf(
	job: Pick<JobRow, 'status' | 'plannedAt'>,
	work: Work,
	now: number,
): number | null {
	const share = shareOf(work)
	if (!isRunning(job) || job.plannedAt === null || share < ESTIMATE_FROM) return null
	return Math.ceil((((now - job.plannedAt) / SECOND) * (1 - share)) / share)
}
