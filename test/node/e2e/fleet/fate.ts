import type { TaskKind } from '#schema/contract/tasks.ts'
import type { WorkerPoint } from '../../../shared/worker-points.ts'
import type { Point } from './fault-proxy.ts'
import type { Mishap, When } from './mishaps.ts'

/** Somebody is at a point; the machine is named by whatever can act on it. */
export type Visit = {
	when: When
	point: Point
	kind: TaskKind | undefined
	task: string | undefined
	isEncoding(): Promise<boolean>
}

type Armed = { mishap: Mishap; visits: number; struck: number; task: string | undefined }

/** Says when the mishaps of a run strike, and counts that they did. */
export class Fate {
	readonly #armed: Armed[]

	constructor(mishaps: readonly Mishap[]) {
		this.#armed = mishaps.map((mishap) => ({ mishap, visits: 0, struck: 0, task: undefined }))
	}

	/** Those that never struck: a run with one of these proves nothing. */
	get missed(): Mishap[] {
		return this.#armed.filter(({ struck }) => struck === 0).map(({ mishap }) => mishap)
	}

	/** Whether something is to happen at such a point that has not yet. */
	isAwaited(point: Point): boolean {
		return this.missed.some(({ at }) => at.who === 'line' && at.point === point)
	}

	get mishaps(): Mishap[] {
		return this.#armed.map(({ mishap }) => mishap)
	}

	async onLine(visit: Visit): Promise<Mishap | undefined> {
		for (const armed of this.#armed) {
			const { at, sameTask } = armed.mishap
			if (at.who !== 'line' || at.when !== visit.when || at.point !== visit.point) continue
			if (at.kind !== undefined && at.kind !== visit.kind) continue
			if (sameTask && armed.task !== undefined && armed.task !== visit.task) continue
			if (at.whileEncoding && !(await visit.isEncoding())) continue
			if (!strikes(armed)) continue
			armed.task = visit.task
			return armed.mishap
		}
		return undefined
	}

	inWorker(when: string, point: WorkerPoint): Mishap | undefined {
		const matches = ({ mishap: { at } }: Armed) =>
			at.who === 'worker' && at.when === when && at.point === point
		return this.#armed.filter(matches).find(strikes)?.mishap
	}

	atProbe(): Mishap | undefined {
		return this.#armed.filter(({ mishap }) => mishap.at.who === 'probe').find(strikes)?.mishap
	}

	/** The disk of the machine of this number, from 0, before it starts. */
	ofDisk(machine: number): Mishap | undefined {
		return this.#armed
			.filter(({ mishap: { at, machines = 1 } }) => at.who === 'start' && machine < machines)
			.map(({ mishap }) => mishap)[0]
	}

	/** Of what holds from the start, when it was felt. */
	noteFelt(mishap: Mishap): void {
		for (const armed of this.#armed) if (armed.mishap === mishap) armed.struck++
	}
}

function strikes(armed: Armed): boolean {
	const { number = 1, times = 1 } = armed.mishap
	if (++armed.visits < number || armed.struck >= times) return false
	armed.struck++
	return true
}
