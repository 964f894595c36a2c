import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Deps } from '../../../platform/deps.ts'
import { findFleet } from '../../fleet/fleet-stub.ts'
import { listFleetTokenMarks, machineNotFoundError } from '../../fleet/machines.ts'
import { machineAuditEntry, machineStore, selectEvictedIds, signedOffIds } from '../../fleet/store.ts'
import { wakeFleet } from '../../fleet/wake.ts'
import type { TaskRow } from '../store/task-row.ts'
import { taskStore } from '../store/task-store.ts'
import { abandonUpload } from './large-output.ts'

/** Evicts a machine and returns the number of tasks taken from it. */
export async function evictMachine(deps: Deps, id: string): Promise<number> {
	const { machineEvicted, takenTasks } = await batch(deps.db, {
		machineEvicted: machineStore(deps.db).evict(id, deps.now),
		entryWritten: auditIfChangedStatement(deps.work, machineAuditEntry('evicted', id)),
		takenTasks: taskStore(deps.db).requeueByMachinesStatement(selectEvictedIds(id), deps.now),
	})
	if (machineEvicted.length === 0) throw machineNotFoundError()
	deps.log.warn('machine evicted', { machineId: id, tasks: takenTasks.length })
	endWork(deps, [id], takenTasks)
	return takenTasks.length
}

/** Signs off machines with an older FLEET_TOKEN. Those that have the new one register again. */
export async function signOffOutdatedMachines(
	deps: Deps,
): Promise<{ machines: number; tasksReturned: number }> {
	const { signedOff, takenTasks } = await batch(deps.db, {
		signedOff: machineStore(deps.db).signOffOutdated(await listFleetTokenMarks(deps)),
		entryWritten: auditIfChangedStatement(deps.work, { action: 'machine.signed_off', orgId: null }),
		takenTasks: taskStore(deps.db).requeueByMachinesStatement(signedOffIds, deps.now),
	})
	deps.log.warn('machines with an older fleet token signed off', { machines: signedOff.length })
	endWork(
		deps,
		signedOff.map(({ id }) => id),
		takenTasks,
	)
	return { machines: signedOff.length, tasksReturned: takenTasks.length }
}

/** Runs after that batch: closes sockets, wakes other machines and aborts multipart uploads. */
function endWork(deps: Deps, machineIds: readonly string[], takenTasks: readonly TaskRow[]): void {
	deps.defer(closeSockets(deps, machineIds))
	if (takenTasks.length > 0) deps.defer(wakeFleet(deps))
	for (const task of takenTasks) deps.defer(abandonUpload(deps, task))
}

/** A failure is only logged, because a socket only wakes its machine. */
async function closeSockets({ env, log }: Deps, machineIds: readonly string[]): Promise<void> {
	try {
		await findFleet(env)?.rejectMachines(machineIds)
	} catch (error) {
		log.error('closing the sockets of evicted machines failed', error)
	}
}
