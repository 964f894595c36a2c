import { DAY, HOUR, SECOND, toIsoOrNull } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { readMeasures, sumValues } from '../../../platform/metrics/measures.ts'
import { fleetMeasures } from '../../../video/transcoding/metrics.ts'
import { type FailureRow, type RunningRow, statsStore, type WorkerRow } from './store.ts'

const LAST_FAILURES = 5

const speedOf = ({ workSec, mediaSec }: { workSec: number; mediaSec: number }): number | null =>
	workSec > 0 ? mediaSec / workSec : null

const MICROS = 1_000_000

const priceOf = (micros: number | null): number | null => (micros === null ? null : micros / MICROS)

/** Returns what machines encoded. The cost covers the machines that have a price. */
function viewEncoding(rows: readonly WorkerRow[]) {
	const sum = (of: (row: WorkerRow) => number, which = rows) =>
		which.reduce((total, row) => total + of(row), 0)
	const mediaSec = sum((row) => row.encodeMediaSec)
	const priced = rows.filter(({ hourlyPriceMicros }) => hourlyPriceMicros !== null)
	const pricedMinutes = sum((row) => row.encodeMediaSec, priced) / 60
	const cost = sum((row) => ((row.hourlyPriceMicros ?? 0) / MICROS) * (row.busySec / 3_600), priced)
	return {
		encodeMinutes24h: mediaSec / 60,
		realTimeFactor: speedOf({ workSec: sum((row) => row.encodeWorkSec), mediaSec }),
		costPerEncodeMinute: pricedMinutes > 0 ? cost / pricedMinutes : null,
	}
}

export async function readFleetStats({ db, now }: Deps) {
	const store = statsStore(db)
	const [measures, ended, workers] = await Promise.all([
		readMeasures(db, fleetMeasures, now),
		store.sumDone(now - DAY),
		store.readWorkers(now - DAY, now - HOUR),
	])
	const { openJobs, endedJobs, openTasks, failures } = measures
	const oldestQueuedAt = measures.oldestDueTask[0]?.value ?? null
	const failuresByReason24h = failures
		.map(({ reason, value }) => ({ reason, count: value ?? 0 }))
		.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))
	const byKind = [...Map.groupBy(openTasks, ({ kind }) => kind)]
		.map(([kind, rows]) => ({
			kind,
			queued: sumValues(rows, { state: 'queued' }),
			running: sumValues(rows, { state: 'running' }),
		}))
		.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))
	return {
		jobs: {
			queued: sumValues(openJobs, { status: 'queued' }),
			processing: sumValues(openJobs, { status: 'processing' }),
			completed24h: sumValues(endedJobs, { status: 'completed' }),
			failed24h: sumValues(endedJobs, { status: 'failed' }),
		},
		tasks: {
			queued: sumValues(openTasks, { state: 'queued' }),
			running: sumValues(openTasks, { state: 'running' }),
			done24h: ended.done,
			failures24h: sumValues(failures),
			expiredLeases24h: sumValues(failures, { reason: 'expired' }),
			byKind,
		},
		oldestQueuedAt: toIsoOrNull(oldestQueuedAt),
		oldestQueuedAgeSec: oldestQueuedAt === null ? null : Math.max(0, (now - oldestQueuedAt) / SECOND),
		mediaSec24h: ended.mediaSec,
		speed: speedOf(ended),
		...viewEncoding(workers),
		failuresByReason24h,
	}
}

export async function readWorkerStats({ db, now }: Deps) {
	const rows = await statsStore(db).readWorkers(now - DAY, now - HOUR)
	return rows.map((row) => ({
		id: row.id,
		name: row.name,
		running: row.running,
		...viewWork(row),
		...viewEncoding([row]),
		busySec24h: row.busySec,
		hourlyPrice: priceOf(row.hourlyPriceMicros),
	}))
}

const viewWork = (row: Pick<WorkerRow, 'done' | 'failures' | 'workSec' | 'mediaSec'>) => ({
	done24h: row.done,
	failures24h: row.failures,
	workSec24h: row.workSec,
	mediaSec24h: row.mediaSec,
	speed: speedOf(row),
})

const viewLastHour = ({ done1h, failures1h, workSec1h }: HourSums) => ({
	done1h,
	failures1h,
	averageWorkSec1h: done1h > 0 ? workSec1h / done1h : null,
})

type HourSums = Pick<WorkerRow, 'done1h' | 'failures1h' | 'workSec1h'>

export type MachineWork = {
	stats: ReturnType<typeof viewWork> & ReturnType<typeof viewLastHour>
	running: RunningRow[]
	failures: FailureRow[]
}

/** Returns the running tasks, recent failures and statistics of each machine. */
export async function readMachineWork({ db, now }: Deps): Promise<(machineId: string) => MachineWork> {
	const store = statsStore(db)
	const [workers, running, failures] = await Promise.all([
		store.readWorkers(now - DAY, now - HOUR),
		store.listRunning(),
		store.listFailures(now - DAY, LAST_FAILURES),
	])
	const none = { done: 0, failures: 0, workSec: 0, mediaSec: 0, done1h: 0, failures1h: 0, workSec1h: 0 }
	return (machineId) => {
		const row = workers.find(({ id }) => id === machineId) ?? none
		return {
			stats: { ...viewWork(row), ...viewLastHour(row) },
			running: running.filter((task) => task.machineId === machineId),
			failures: failures.filter((failure) => failure.machineId === machineId),
		}
	}
}
