import type { TaskKind } from '#schema/contract/video/tasks.ts'
import { randomFrom } from '../../support/shared/random.ts'
import type { WorkerPoint } from '../../support/shared/worker-points.ts'
import type { Point, When } from './fault-proxy.ts'

/** A point in time that is observable from outside; `kind` is that of the task. */
export type Moment =
	| { source: 'request'; when: When; point: Point; kind?: TaskKind; whileEncoding?: true }
	/** ffprobe was started for a task and has read nothing yet. */
	| { source: 'probe' }
	| { source: 'worker'; when: When; point: WorkerPoint }
	/** Exists before the machine starts. */
	| { source: 'start' }

export type PlannedFault = {
	/**
	 * Kill: a power failure. Freeze: for longer than a lease, like a suspended or overloaded machine. Lose: the response is
	 * lost. Double: the request arrives twice. Refuse: the connection breaks. Unavailable: a response 503. No space: the disk
	 * is full. No files: no more files can be created.
	 */
	what:
		| 'kill-machine'
		| 'freeze-machine'
		| 'kill-worker'
		| 'freeze-worker'
		| 'lose'
		| 'double'
		| 'refuse'
		| 'unavailable'
		| 'no-space'
		| 'no-files'
	at: Moment
	/** Which visit of the point triggers the fault (default 1). */
	number?: number
	/** How many visits from then on (default 1). */
	times?: number
	/** Only for the task of the first occurrence. */
	sameTask?: true
	/** How many machines have the disk of this fault. */
	machines?: 1 | 2
	/** The expected error message of the video; without one, it must be ready. */
	expectedError?: RegExp
}

const onRequest = (when: When, point: Point, kind?: TaskKind): Moment => ({
	source: 'request',
	when,
	point,
	...(kind && { kind }),
})
const inWorker = (when: When, point: WorkerPoint): Moment => ({ source: 'worker', when, point })

/** Points on a machine, from the claim of a task to the response to its completion. */
const onMachine: readonly Pick<PlannedFault, 'at' | 'number'>[] = [
	{ at: onRequest('after', 'claim', 'inspect') },
	{ at: onRequest('within', 'source') },
	{ at: { source: 'probe' } },
	{ at: onRequest('after', 'complete', 'inspect') },
	{ at: onRequest('after', 'claim', 'video'), number: 2 },
	{ at: { source: 'request', when: 'before', point: 'put', kind: 'video', whileEncoding: true } },
	{ at: onRequest('within', 'put', 'video'), number: 3 },
	{ at: onRequest('before', 'complete', 'video') },
	{ at: onRequest('after', 'complete', 'video'), number: 2 },
	{ at: onRequest('before', 'complete', 'download') },
]

const workerPoints: readonly WorkerPoint[] = ['claim', 'complete', 'advance', 'plan', 'playlist', 'publish']
const ALWAYS = 1_000_000

/** All faults. Each is a run; in all runs, queues deliver every message twice. */
export const plannedFaults: readonly PlannedFault[] = [
	...(['kill-machine', 'freeze-machine'] as const).flatMap((what) =>
		onMachine.map((place) => ({ what, ...place })),
	),
	...workerPoints.flatMap((point) => [
		{ what: 'kill-worker' as const, at: inWorker('before', point) },
		{ what: 'kill-worker' as const, at: inWorker('after', point) },
		{ what: 'freeze-worker' as const, at: inWorker('before', point) },
	]),
	{ what: 'kill-worker', at: onRequest('within', 'put', 'video'), number: 2 },
	{ what: 'kill-worker', at: onRequest('within', 'source') },
	...(['claim', 'outputs', 'put', 'complete'] as const).map((point) => ({
		what: 'lose' as const,
		at: onRequest('after', point, 'video'),
	})),
	{ what: 'lose', at: onRequest('after', 'source'), times: 2 },
	{ what: 'lose', at: onRequest('after', 'heartbeat'), times: 2 },
	...(['outputs', 'complete'] as const).map((point) => ({
		what: 'double' as const,
		at: onRequest('before', point, 'video'),
		times: 2,
	})),
	{ what: 'double', at: onRequest('before', 'claim'), number: 2, times: 2 },
	...(['put', 'complete'] as const).map((point) => ({
		what: 'refuse' as const,
		at: onRequest('before', point, 'video'),
		times: 3,
	})),
	...(['claim', 'source', 'outputs', 'put', 'heartbeat', 'complete'] as const).map((point) => ({
		what: 'unavailable' as const,
		at: onRequest('before', point),
		number: 2,
		times: 3,
	})),
	// Storage is unavailable until the end.
	{
		...{ what: 'unavailable', at: onRequest('before', 'source'), times: ALWAYS },
		expectedError: /last error: the uploaded file could not be read from storage/,
	},
	{ what: 'no-space', at: { source: 'start' }, machines: 1 },
	{ what: 'no-space', at: onRequest('within', 'source') },
	{ what: 'no-files', at: onRequest('after', 'claim', 'video') },
	{
		what: 'no-space',
		at: { source: 'start' },
		machines: 2,
		expectedError: /last error: A machine had no disk space/,
	},
	// A video that makes every machine crash.
	{
		...{ what: 'kill-machine', at: onRequest('after', 'claim', 'video'), times: 3, sameTask: true },
		expectedError: /^processing failed: 3 machines in a row stopped responding/,
	},
]

/** What `npm test` runs: two runs with four faults each, one of each kind. A run takes longer than its faults. */
export const shortRuns: readonly (readonly PlannedFault[])[] = [
	[
		{
			what: 'kill-machine',
			at: { source: 'request', when: 'before', point: 'put', kind: 'video', whileEncoding: true },
		},
		{ what: 'lose', at: onRequest('after', 'complete', 'inspect') },
		{ what: 'double', at: onRequest('before', 'complete') },
		{ what: 'freeze-worker', at: inWorker('before', 'publish') },
	],
	[
		{ what: 'kill-machine', at: onRequest('within', 'source') },
		{ what: 'unavailable', at: onRequest('before', 'source'), times: 2 },
		{ what: 'freeze-machine', at: onRequest('before', 'complete', 'video') },
		{ what: 'kill-worker', at: inWorker('after', 'complete') },
	],
]

const where = (at: Moment): string => {
	switch (at.source) {
		case 'start':
			return 'from the start'
		case 'probe':
			return 'at the start of ffprobe'
		case 'worker':
			return `${at.when} ${at.point} in the Worker`
		case 'request': {
			const kind = at.kind ? ` of ${at.kind}` : ''
			return `${at.when} ${at.point}${kind}${at.whileEncoding ? ', while ffmpeg runs' : ''}`
		}
	}
}

export function describe({ what, at, number, times, sameTask, machines }: PlannedFault): string {
	const more = [
		number && number > 1 ? `from visit ${number} on` : '',
		times ? (times === ALWAYS ? 'always' : `${times} times`) : '',
		sameTask ? 'for one task' : '',
		machines === 2 ? 'both machines' : '',
	].filter(Boolean)
	return `${what} ${where(at)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
}

/** Each fault once in random order, then pairs. */
export function drawRuns(runs: number, seed: number): PlannedFault[][] {
	const random = randomFrom(seed)
	const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
	const order = plannedFaults
		.map((plannedFault) => ({ plannedFault, at: random() }))
		.toSorted((a, b) => a.at - b.at)
	const combinable = plannedFaults.filter(({ expectedError, at }) => !expectedError && at.source !== 'start')
	return Array.from({ length: runs }, (_, index) => {
		const next = order[index]
		if (next) return [next.plannedFault]
		const first = pick(combinable)
		return [first, pick(combinable.filter((other) => other !== first))]
	})
}
