import { DAY, isoOrNull, SECOND } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { type FailureRow, type RunningRow, statsStore, type WorkerRow } from './store.ts'

const LAST_FAILURES = 5

const speedOf = ({ workSec, mediaSec }: { workSec: number; mediaSec: number }): number | null =>
	workSec > 0 ? mediaSec / workSec : null

export async function readFleetStats({ db, now }: Deps) {
	const { fleet, kinds } = await statsStore(db).readFleet(now - DAY, now)
	const sum = (state: 'queued' | 'running') => kinds.reduce((total, kind) => total + kind[state], 0)
	const { oldestQueuedAt } = fleet
	return {
		jobs: {
			queued: fleet.queuedJobs,
			processing: fleet.processingJobs,
			completed24h: fleet.completedJobs,
			failed24h: fleet.failedJobs,
		},
		tasks: {
			queued: sum('queued'),
			running: sum('running'),
			done24h: fleet.done,
			failures24h: fleet.failures,
			expiredLeases24h: fleet.expired,
			byKind: kinds,
		},
		oldestQueuedAt: isoOrNull(oldestQueuedAt),
		oldestQueuedAgeSec: oldestQueuedAt === null ? null : Math.max(0, (now - oldestQueuedAt) / SECOND),
		mediaSec24h: fleet.mediaSec,
		speed: speedOf(fleet),
	}
}

export async function readWorkerStats({ db, now }: Deps) {
	const rows = await statsStore(db).readWorkers(now - DAY)
	return rows.map((row) => ({ id: row.id, name: row.name, running: row.running, ...viewWork(row) }))
}

const viewWork = (row: WorkerRow) => ({
	done24h: row.done,
	failures24h: row.failures,
	workSec24h: row.workSec,
	mediaSec24h: row.mediaSec,
	speed: speedOf(row),
})

export type MachineWork = {
	stats: ReturnType<typeof viewWork>
	running: RunningRow[]
	failures: FailureRow[]
}

/** Returns the running tasks, recent failures and statistics of each machine. */
export async function readMachineWork({ db, now }: Deps): Promise<(machineId: string) => MachineWork> {
	const store = statsStore(db)
	const [workers, running, failures] = await Promise.all([
		store.readWorkers(now - DAY),
		store.listRunning(),
		store.listFailures(now - DAY, LAST_FAILURES),
	])
	const none = { id: '', name: null, running: 0, done: 0, failures: 0, workSec: 0, mediaSec: 0 }
	return (machineId) => ({
		stats: viewWork(workers.find(({ id }) => id === machineId) ?? none),
		running: running.filter((task) => task.machineId === machineId),
		failures: failures.filter((failure) => failure.machineId === machineId),
	})
}
