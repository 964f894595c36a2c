import type { TaskKind } from '#schema/contract/video/tasks.ts'
import type { WorkerPoint } from '../../support/shared/worker-points.ts'
import type { Point, When } from './fault-proxy.ts'
import type { PlannedFault } from './faults.ts'

/** Somebody is at a point; the machine is named by whatever can act on it. */
export type Visit = {
	when: When
	point: Point
	kind: TaskKind | undefined
	task: string | undefined
	isEncoding(): Promise<boolean>
}

type Armed = { plannedFault: PlannedFault; visits: number; struck: number; task: string | undefined }

/** Says when the faults of a run strike, and counts that they did. */
export class FaultSchedule {
	readonly #armed: Armed[]

	constructor(plannedFaults: readonly PlannedFault[]) {
		this.#armed = plannedFaults.map((plannedFault) => ({
			plannedFault,
			visits: 0,
			struck: 0,
			task: undefined,
		}))
	}

	/** Those that never struck: a run with one of these proves nothing. */
	get missed(): PlannedFault[] {
		return this.#armed.filter(({ struck }) => struck === 0).map(({ plannedFault }) => plannedFault)
	}

	/** Whether something is to happen at such a point that has not yet. */
	isAwaited(point: Point): boolean {
		return this.missed.some(({ at }) => at.who === 'line' && at.point === point)
	}

	get plannedFaults(): PlannedFault[] {
		return this.#armed.map(({ plannedFault }) => plannedFault)
	}

	async onLine(visit: Visit): Promise<PlannedFault | undefined> {
		for (const armed of this.#armed) {
			const { at, sameTask } = armed.plannedFault
			if (at.who !== 'line' || at.when !== visit.when || at.point !== visit.point) continue
			if (at.kind !== undefined && at.kind !== visit.kind) continue
			if (sameTask && armed.task !== undefined && armed.task !== visit.task) continue
			if (at.whileEncoding && !(await visit.isEncoding())) continue
			if (!strikes(armed)) continue
			armed.task = visit.task
			return armed.plannedFault
		}
		return undefined
	}

	inWorker(when: string, point: WorkerPoint): PlannedFault | undefined {
		const matches = ({ plannedFault: { at } }: Armed) =>
			at.who === 'worker' && at.when === when && at.point === point
		return this.#armed.filter(matches).find(strikes)?.plannedFault
	}

	atProbe(): PlannedFault | undefined {
		return this.#armed.filter(({ plannedFault }) => plannedFault.at.who === 'probe').find(strikes)
			?.plannedFault
	}

	/** The disk of the machine of this number, from 0, before it starts. */
	ofDisk(machine: number): PlannedFault | undefined {
		return this.#armed
			.filter(({ plannedFault: { at, machines = 1 } }) => at.who === 'start' && machine < machines)
			.map(({ plannedFault }) => plannedFault)[0]
	}

	/** Of what holds from the start, when it was felt. */
	noteFelt(plannedFault: PlannedFault): void {
		for (const armed of this.#armed) if (armed.plannedFault === plannedFault) armed.struck++
	}
}

function strikes(armed: Armed): boolean {
	const { number = 1, times = 1 } = armed.plannedFault
	if (++armed.visits < number || armed.struck >= times) return false
	armed.struck++
	return true
}
