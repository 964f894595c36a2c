import type { TaskKind } from '#schema/contract/video/tasks.ts'
import type { WorkerPoint } from '../../support/shared/worker-points.ts'
import type { Point, When } from './fault-proxy.ts'
import type { PlannedFault } from './faults.ts'

/** A machine is at a point. */
export type Visit = {
	when: When
	point: Point
	kind: TaskKind | undefined
	task: string | undefined
	isEncoding(): Promise<boolean>
}

type FaultState = {
	plannedFault: PlannedFault
	visits: number
	occurrences: number
	task: string | undefined
}

/** Decides when the faults of a run occur, and counts the occurrences. */
export class FaultSchedule {
	readonly #states: FaultState[]

	constructor(plannedFaults: readonly PlannedFault[]) {
		this.#states = plannedFaults.map((plannedFault) => ({
			plannedFault,
			visits: 0,
			occurrences: 0,
			task: undefined,
		}))
	}

	/** Faults that did not occur: a run with one of these proves nothing. */
	get missed(): PlannedFault[] {
		return this.#states.filter(({ occurrences }) => occurrences === 0).map(({ plannedFault }) => plannedFault)
	}

	/** Whether a fault at this point is still to occur. */
	isAwaited(point: Point): boolean {
		return this.missed.some(({ at }) => at.source === 'request' && at.point === point)
	}

	get plannedFaults(): PlannedFault[] {
		return this.#states.map(({ plannedFault }) => plannedFault)
	}

	async onRequest(visit: Visit): Promise<PlannedFault | undefined> {
		for (const state of this.#states) {
			const { at, sameTask } = state.plannedFault
			if (at.source !== 'request' || at.when !== visit.when || at.point !== visit.point) continue
			if (at.kind !== undefined && at.kind !== visit.kind) continue
			if (sameTask && state.task !== undefined && state.task !== visit.task) continue
			if (at.whileEncoding && !(await visit.isEncoding())) continue
			if (!occursNow(state)) continue
			state.task = visit.task
			return state.plannedFault
		}
		return undefined
	}

	inWorker(when: string, point: WorkerPoint): PlannedFault | undefined {
		const matches = ({ plannedFault: { at } }: FaultState) =>
			at.source === 'worker' && at.when === when && at.point === point
		return this.#states.filter(matches).find(occursNow)?.plannedFault
	}

	atProbe(): PlannedFault | undefined {
		return this.#states.filter(({ plannedFault }) => plannedFault.at.source === 'probe').find(occursNow)
			?.plannedFault
	}

	/** The fault that replaces the disk of this machine before it starts; machines are numbered from 0. */
	diskFault(machine: number): PlannedFault | undefined {
		return this.#states
			.filter(({ plannedFault: { at, machines = 1 } }) => at.source === 'start' && machine < machines)
			.map(({ plannedFault }) => plannedFault)[0]
	}

	/** Called for a fault that exists from the start, when it had an effect. */
	recordOccurrence(plannedFault: PlannedFault): void {
		for (const state of this.#states) if (state.plannedFault === plannedFault) state.occurrences++
	}
}

function occursNow(state: FaultState): boolean {
	const { number = 1, times = 1 } = state.plannedFault
	if (++state.visits < number || state.occurrences >= times) return false
	state.occurrences++
	return true
}
