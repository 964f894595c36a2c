import type { TaskKind } from '#schema/contract/video/tasks.ts'
import type { WorkerPoint } from '../../support/shared/worker-points.ts'
import type { Point, When } from './fault-proxy.ts'

/** An instant that can be told from outside; `kind` is that of the task which is at it. */
export type Moment =
	| { who: 'line'; when: When; point: Point; kind?: TaskKind; whileEncoding?: true }
	/** Its ffprobe was started for a task, and has read nothing yet. */
	| { who: 'probe' }
	| { who: 'worker'; when: When; point: WorkerPoint }
	/** From before the machine starts. */
	| { who: 'start' }

export type PlannedFault = {
	/**
	 * Kill: the power goes. Freeze: for longer than a lease, as a suspended or overloaded machine. Lose: it was done, and
	 * nobody hears of it. Double: it arrives twice. Refuse: the line breaks. Unavailable: 503. No space: the disk is
	 * full, of files or of bytes.
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
	/** The how manieth time that anybody comes there; 1 unless told. */
	number?: number
	/** How many times from then on; once unless told. */
	times?: number
	/** Of one task only: the first that it befell. */
	sameTask?: true
	/** Of a disk: how many machines have such a one. */
	machines?: 1 | 2
	/** What the owner of a video is then told; by default it must be ready. */
	ends?: RegExp
}

const line = (when: When, point: Point, kind?: TaskKind): Moment => ({
	who: 'line',
	when,
	point,
	...(kind && { kind }),
})
const inWorker = (when: When, point: WorkerPoint): Moment => ({ who: 'worker', when, point })

/** What a machine goes through with a task, from its claim to the answer to its completion. */
const onMachine: readonly Pick<PlannedFault, 'at' | 'number'>[] = [
	{ at: line('after', 'claim', 'inspect') },
	{ at: line('within', 'source') },
	{ at: { who: 'probe' } },
	{ at: line('after', 'complete', 'inspect') },
	{ at: line('after', 'claim', 'video'), number: 2 },
	{ at: { who: 'line', when: 'before', point: 'put', kind: 'video', whileEncoding: true } },
	{ at: line('within', 'put', 'video'), number: 3 },
	{ at: line('before', 'complete', 'video') },
	{ at: line('after', 'complete', 'video'), number: 2 },
	{ at: line('before', 'complete', 'download') },
]

const workerPoints: readonly WorkerPoint[] = ['claim', 'complete', 'advance', 'plan', 'playlist', 'publish']
const FOREVER = 1_000_000

/** Every fault there is. One of them is one run; queues hand over every message twice in all of them. */
export const plannedFaults: readonly PlannedFault[] = [
	...(['kill-machine', 'freeze-machine'] as const).flatMap((what) =>
		onMachine.map((place) => ({ what, ...place })),
	),
	...workerPoints.flatMap((point) => [
		{ what: 'kill-worker' as const, at: inWorker('before', point) },
		{ what: 'kill-worker' as const, at: inWorker('after', point) },
		{ what: 'freeze-worker' as const, at: inWorker('before', point) },
	]),
	{ what: 'kill-worker', at: line('within', 'put', 'video'), number: 2 },
	{ what: 'kill-worker', at: line('within', 'source') },
	...(['claim', 'outputs', 'put', 'complete'] as const).map((point) => ({
		what: 'lose' as const,
		at: line('after', point, 'video'),
	})),
	{ what: 'lose', at: line('after', 'source'), times: 2 },
	{ what: 'lose', at: line('after', 'heartbeat'), times: 2 },
	...(['outputs', 'complete'] as const).map((point) => ({
		what: 'double' as const,
		at: line('before', point, 'video'),
		times: 2,
	})),
	{ what: 'double', at: line('before', 'claim'), number: 2, times: 2 },
	...(['put', 'complete'] as const).map((point) => ({
		what: 'refuse' as const,
		at: line('before', point, 'video'),
		times: 3,
	})),
	...(['claim', 'source', 'outputs', 'put', 'heartbeat', 'complete'] as const).map((point) => ({
		what: 'unavailable' as const,
		at: line('before', point),
		number: 2,
		times: 3,
	})),
	// The store answers no more, for good.
	{
		...{ what: 'unavailable', at: line('before', 'source'), times: FOREVER },
		ends: /last error: The uploaded file could not be read from the store/,
	},
	{ what: 'no-space', at: { who: 'start' }, machines: 1 },
	{ what: 'no-space', at: line('within', 'source') },
	{ what: 'no-files', at: line('after', 'claim', 'video') },
	{ what: 'no-space', at: { who: 'start' }, machines: 2, ends: /last error: A machine had no room/ },
	// A video that takes down whoever works on it.
	{
		...{ what: 'kill-machine', at: line('after', 'claim', 'video'), times: 3, sameTask: true },
		ends: /^Processing failed: 3 machines in a row stopped responding/,
	},
]

/** What each `npm test` looks at: two faults in each of four runs, of every kind one. */
export const shortRuns: readonly (readonly PlannedFault[])[] = [
	[
		{
			what: 'kill-machine',
			at: { who: 'line', when: 'before', point: 'put', kind: 'video', whileEncoding: true },
		},
		{ what: 'double', at: line('before', 'complete') },
	],
	[
		{ what: 'freeze-machine', at: line('before', 'complete', 'video') },
		{ what: 'lose', at: line('after', 'complete', 'inspect') },
	],
	[
		{ what: 'kill-worker', at: inWorker('after', 'complete') },
		{ what: 'unavailable', at: line('before', 'source'), times: 2 },
	],
	[
		{ what: 'freeze-worker', at: inWorker('before', 'publish') },
		{ what: 'kill-machine', at: line('within', 'source') },
	],
]

const where = (at: Moment): string => {
	switch (at.who) {
		case 'start':
			return 'from the start'
		case 'probe':
			return 'at the start of ffprobe'
		case 'worker':
			return `${at.when} ${at.point} in the Worker`
		case 'line': {
			const kind = at.kind ? ` of ${at.kind}` : ''
			return `${at.when} ${at.point}${kind}${at.whileEncoding ? ', ffmpeg at work' : ''}`
		}
	}
}

export function describe({ what, at, number, times, sameTask, machines }: PlannedFault): string {
	const more = [
		number && number > 1 ? `from the ${number}. on` : '',
		times ? (times === FOREVER ? 'for ever' : `${times} times`) : '',
		sameTask ? 'the same task' : '',
		machines === 2 ? 'both machines' : '',
	].filter(Boolean)
	return `${what} ${where(at)}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
}

/** mulberry32. */
export function randomOf(seed: number): () => number {
	let state = seed >>> 0
	return () => {
		state = (state + 0x6d2b79f5) >>> 0
		let t = Math.imul(state ^ (state >>> 15), 1 | state)
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
	}
}

/** Each fault once in an order that is drawn, then two at a time. */
export function drawRuns(runs: number, seed: number): PlannedFault[][] {
	const random = randomOf(seed)
	const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
	const order = plannedFaults
		.map((plannedFault) => ({ plannedFault, at: random() }))
		.toSorted((a, b) => a.at - b.at)
	const mild = plannedFaults.filter(({ ends, at }) => !ends && at.who !== 'start')
	return Array.from({ length: runs }, (_, index) => {
		const next = order[index]
		if (next) return [next.plannedFault]
		const first = pick(mild)
		return [first, pick(mild.filter((other) => other !== first))]
	})
}
