import type { SQL } from 'drizzle-orm'
import type { Deps } from '../platform/deps.ts'
import { findFleet } from './fleet-door.ts'
import { abandonUpload } from './large-output.ts'
import { type TaskRow, taskStore } from './task-store.ts'
import { wakeFleet } from './wake.ts'

/** Statement for the batch that shuts machines out: their tasks wait for others. `machines` is a query of their ids. */
export const takeBackTasksStatement = ({ db, now }: Deps, machines: SQL) =>
	taskStore(db).takeBack(machines, now)

/** Behind that batch: their sockets end, the others are woken, and what they began to store in parts goes. */
export function endWork(deps: Deps, machineIds: readonly string[], taken: readonly TaskRow[]): void {
	deps.defer(closeSockets(deps, machineIds))
	if (taken.length > 0) deps.defer(wakeFleet(deps))
	for (const task of taken) deps.defer(abandonUpload(deps, task))
}

/** A socket only wakes a machine; should it not be closed, nothing comes of that. */
async function closeSockets({ env, log }: Deps, machineIds: readonly string[]): Promise<void> {
	try {
		await findFleet(env)?.shutOut(machineIds)
	} catch (error) {
		log.error('the sockets of machines that were shut out could not be closed', error)
	}
}
