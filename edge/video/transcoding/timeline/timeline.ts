import type { SpanOutcome } from '#schema/contract/video/processing/timeline.ts'
import { isAfterJob } from '../plan/ranks.ts'
import { divideIntoPhases, listPhases } from './phases.ts'
import type { Span } from './span.ts'
import { MAX_TASKS, type TimelineRows } from './store.ts'
import { describeDuration, stepNames, taskNames, toSentence } from './words.ts'

type Job = TimelineRows['jobs'][number]
type Group = TimelineRows['groups'][number]
type Task = TimelineRows['tasks'][number]
type Failure = TimelineRows['failures'][number]

export type Timeline = {
	summary: string
	traces: { jobId: string; traceId: string | null }[]
	spans: Span[]
	isComplete: boolean
}

/** Returns how the time of an asset was spent. Omits messages and machine names, which are for operators. */
export function buildTimeline(stored: TimelineRows, now: number): Timeline {
	const rows = { ...stored, jobs: stored.jobs.map((job) => withDownloads(job, stored.groups)) }
	const jobs = rows.jobs.toReversed()
	const spans = [
		...uploadSpans(rows.asset, now),
		...jobs.flatMap((job) => [
			jobSpan(job, now),
			...divideIntoPhases(job, rows.groups, now),
			...taskSpans(job, rows, now),
		]),
		...rows.aiSteps.map((step) => stepSpan(step, now)),
	]
	return {
		summary: summaryOf(rows, now),
		traces: jobs.map(({ id: jobId, traceId }) => ({ jobId, traceId })),
		spans,
		isComplete: rows.groups.reduce((total, { count }) => total + count, 0) <= MAX_TASKS,
	}
}

/** Extends a job until its downloads are finished. The stored job ends earlier, because nothing waits for them. */
function withDownloads(job: Job, groups: readonly Group[]): Job {
	if (job.status !== 'completed') return job
	const downloads = groups.filter(({ jobId, kind }) => jobId === job.id && kind === 'download')
	if (downloads.some(({ open }) => open > 0)) return { ...job, status: 'processing', endedAt: null }
	const ends = downloads.map(({ endedAt }) => endedAt ?? 0)
	return { ...job, endedAt: Math.max(job.endedAt ?? 0, ...ends) }
}

function summaryOf({ asset, jobs: [job], groups }: TimelineRows, now: number): string {
	if (!job && asset.status === 'created') return 'No source has arrived yet.'
	if (!job) return 'The source is stored. Processing has not been requested.'
	const phases = divideIntoPhases(job, groups, now)
	const list = listPhases(phases)
	const last = phases.at(-1)
	const lasting = last?.endedAt === null ? [last.text] : []
	if (job.allPublishedAt === null || job.status === 'failed')
		return [jobSpan(job, now).text, ...(list ? [toSentence(`Phases: ${list}`)] : []), ...lasting].join(' ')
	const duration = describeDuration(job.allPublishedAt - job.createdAt)
	return [
		toSentence(`Published completely ${duration} after processing was requested: ${list}`),
		...lasting,
	].join(' ')
}

function uploadSpans(
	{ createdAt, sourceReceivedAt: endedAt, status, hasUrl }: TimelineRows['asset'],
	now: number,
): Span[] {
	const isWaiting = status === 'created'
	// An import is a task. The arrival times of old assets' sources are unknown.
	if (hasUrl || (!isWaiting && endedAt === null)) return []
	const duration = describeDuration((endedAt ?? now) - createdAt)
	const text = isWaiting
		? `Has waited ${duration} for a source`
		: `The source was stored ${duration} after the asset was created`
	return [
		{
			...{ id: 'upload', parentId: null, kind: 'upload', text: toSentence(text) },
			...{ outcome: isWaiting ? 'waiting' : 'done', startedAt: createdAt, endedAt },
		},
	]
}

const jobOutcomes: Record<Job['status'], SpanOutcome> = {
	queued: 'waiting',
	processing: 'running',
	completed: 'done',
	failed: 'failed',
	cancelled: 'cancelled',
}

function jobSpan({ id, status, error, createdAt, endedAt }: Job, now: number): Span {
	const duration = describeDuration((endedAt ?? now) - createdAt)
	const texts = {
		queued: `Processing was requested ${duration} ago`,
		processing: `Processing has taken ${duration} so far`,
		completed: `Processing took ${duration}`,
		failed: `Processing failed after ${duration}${error ? `: ${error}` : ''}`,
		cancelled: `Processing was cancelled after ${duration}`,
	}
	return {
		...{ id, parentId: null, kind: 'processing', outcome: jobOutcomes[status] },
		...{ text: toSentence(texts[status]), startedAt: createdAt, endedAt },
	}
}

function taskSpans(job: Job, { groups, tasks, failures }: TimelineRows, now: number): Span[] {
	const ownFailures = failures.filter(({ jobId }) => jobId === job.id).toReversed()
	const ownTasks = tasks
		.filter(({ jobId }) => jobId === job.id)
		.map((task) => startedWithAttempts(task, ownFailures))
		.toSorted((a, b) => a.since - b.since)
	const known = new Set(ownTasks.map(({ id }) => id))
	return [
		...groups.filter(({ jobId }) => jobId === job.id).map((group) => groupSpan(group, ownTasks, now)),
		...ownTasks.map((task) => taskSpan(task, groups, now)),
		...ownFailures.map((failure) =>
			attemptSpan(failure, known.has(failure.taskId) ? failure.taskId : parentOf(failure)),
		),
	]
}

type TimedTask = Task & { since: number; attempts: readonly Failure[] }

/** Moves the start of a task's span to its first attempt; the stored task only has its last start. */
function startedWithAttempts(task: Task, failures: readonly Failure[]): TimedTask {
	const attempts = failures.filter(({ taskId }) => taskId === task.id)
	const { state, createdAt } = task
	const startedAt = state === 'queued' ? createdAt : (task.startedAt ?? createdAt)
	const since = Math.min(startedAt, ...attempts.map((attempt) => attempt.startedAt ?? attempt.endedAt))
	return { ...task, attempts, since }
}

/** Speech and clips can be requested at any time, so their spans have no parent. */
const parentOf = ({ jobId, kind }: Pick<Group, 'jobId' | 'kind'>): string | null =>
	isAfterJob(kind) && kind !== 'download' ? null : jobId

const groupId = ({ jobId, kind, isForPlayback }: Pick<Group, 'jobId' | 'kind' | 'isForPlayback'>): string =>
	`${jobId}.${kind}${isForPlayback ? '' : '.later'}`

function groupSpan(group: Group, tasks: readonly TimedTask[], now: number): Span {
	const { kind, count, done, open, running, failed, workSec } = group
	const own = tasks.filter((task) => groupId(task) === groupId(group))
	const startedAt = Math.min(group.since, ...own.map(({ since }) => since))
	const endedAt = open > 0 ? null : (group.endedAt ?? startedAt)
	const outcome: SpanOutcome =
		open > 0
			? running > 0 || done > 0
				? 'running'
				: 'waiting'
			: failed > 0
				? 'failed'
				: done > 0
					? 'done'
					: 'cancelled'
	const amount = count === 1 ? '1 task' : `${count} tasks`
	const progress = done === count ? amount : `${done} of ${amount} done`
	const work = workSec ? `, ${describeDuration(workSec * 1_000)} of work` : ''
	const span = `${describeDuration((endedAt ?? now) - startedAt)} ${endedAt === null ? 'so far' : 'from the first start to the last end'}`
	return {
		...{ id: groupId(group), parentId: parentOf(group), kind: 'tasks', outcome, startedAt, endedAt },
		text: toSentence(`${taskNames[kind]}: ${progress}, ${span}${work}`),
	}
}

const taskOutcomes: Record<Task['state'], SpanOutcome> = {
	queued: 'waiting',
	running: 'running',
	done: 'done',
	failed: 'failed',
	cancelled: 'cancelled',
}

function nameOf(task: Task, groups: readonly Group[]): string {
	const isAlone = groups.some((group) => groupId(group) === groupId(task) && group.count === 1)
	return isAlone ? taskNames[task.kind] : `${taskNames[task.kind]} ${task.position + 1}`
}

function taskSpan(task: TimedTask, groups: readonly Group[], now: number): Span {
	const { id, state, since: startedAt, endedAt } = task
	const duration = describeDuration((endedAt ?? now) - startedAt)
	const texts = {
		queued: `waiting for a machine for ${duration}`,
		running: `running for ${duration}`,
		done: `done after ${duration}`,
		failed: `failed after ${duration}`,
		cancelled: `cancelled after ${duration}`,
	}
	const times = task.attempts.filter(({ reason }) => reason !== 'permanent').length
	const repeated =
		times === 0 ? '' : `, after ${times === 1 ? 'an attempt' : `${times} attempts`} that failed`
	return {
		...{ id, parentId: groupId(task), kind: 'task', outcome: taskOutcomes[state], startedAt, endedAt },
		text: toSentence(`${nameOf(task, groups)}: ${texts[state]}${repeated}`),
	}
}

function attemptSpan(
	{ taskId, epoch, kind, reason, startedAt, endedAt }: Failure,
	parentId: string | null,
): Span {
	const after = startedAt === null ? '' : ` after ${describeDuration(endedAt - startedAt)}`
	const texts = {
		expired: `A machine stopped responding${after}, so the task went back to the queue`,
		transient: `An attempt failed${after}`,
		permanent: `The last attempt failed${after}`,
	}
	return {
		id: `${taskId}.${epoch}`,
		parentId,
		kind: 'attempt',
		outcome: reason === 'expired' ? 'lost' : 'failed',
		...{ text: toSentence(`${taskNames[kind]}: ${texts[reason]}`), startedAt, endedAt },
	}
}

const stepOutcomes = {
	pending: 'waiting',
	processing: 'running',
	completed: 'done',
	failed: 'failed',
	skipped: 'skipped',
} as const

function stepSpan(
	{ step, status, reason, startedAt, updatedAt }: TimelineRows['aiSteps'][number],
	now: number,
): Span {
	const isOpen = status === 'pending' || status === 'processing'
	const duration = describeDuration((isOpen ? now : updatedAt) - startedAt)
	const because = reason ? `: ${reason}` : ''
	const texts = {
		pending: `waiting for earlier steps for ${duration}`,
		processing: `running for ${duration}`,
		completed: `done after ${duration}`,
		failed: `failed after ${duration}${because}`,
		skipped: `skipped${because}`,
	}
	return {
		...{ id: `ai.${step}`, parentId: null, kind: 'ai-step', outcome: stepOutcomes[status] },
		text: toSentence(`${stepNames[step]}: ${texts[status]}`),
		startedAt,
		endedAt: isOpen ? null : updatedAt,
	}
}
