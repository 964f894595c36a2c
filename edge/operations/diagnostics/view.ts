import type { Machine } from '#schema/contract/operations/diagnostics.ts'
import { toIso, toIsoOrNull } from '../../platform/clock.ts'
import { OFFLINE_AFTER_MS } from '../../video/fleet/machines.ts'
import { type MachineRow, SIGNED_OFF, UNKNOWN } from '../../video/fleet/store.ts'
import type { diagnose } from './diagnostics.ts'
import type { MachineWork } from './stats/stats.ts'

export function viewMachine(
	row: MachineRow,
	connected: ReadonlySet<string> | null,
	{ stats, running, failures }: MachineWork,
	{ now, fleetTokenMarks }: { now: number; fleetTokenMarks: readonly string[] },
): Machine {
	return {
		id: row.id,
		name: row.name,
		state: now - row.lastSeenAt > OFFLINE_AFTER_MS ? 'offline' : row.state,
		connected: connected ? connected.has(row.id) : null,
		capabilities: row.capabilities,
		paused: row.pausedAt !== null,
		evicted: row.evictedAt !== null,
		outdated: ![...fleetTokenMarks, SIGNED_OFF].includes(row.registeredWith ?? UNKNOWN),
		running: row.running,
		hasStartHook: row.startHook !== null,
		runningTasks: running.map(({ machineId: _, startedAt, ...task }) => ({
			...task,
			startedAt: toIso(startedAt),
		})),
		done24h: stats.done24h,
		failures24h: stats.failures24h,
		done1h: stats.done1h,
		failures1h: stats.failures1h,
		averageWorkSec1h: stats.averageWorkSec1h,
		lastFailures: failures.map(({ machineId: _, at, ...failure }) => ({ ...failure, at: toIso(at) })),
		speed: stats.speed,
		load: row.load,
		registeredAt: toIso(row.registeredAt),
		lastSeenAt: toIso(row.lastSeenAt),
	}
}

export const viewDiagnostics = ({ queue, lastRepair, ...rest }: Awaited<ReturnType<typeof diagnose>>) => ({
	...rest,
	lastRepair: lastRepair && {
		startedAt: toIso(lastRepair.startedAt),
		step: lastRepair.step,
		changed: lastRepair.counts,
		openedAt: toIsoOrNull(lastRepair.openedAt),
		endedAt: toIsoOrNull(lastRepair.endedAt),
	},
	queue: queue && { ...queue, oldestWaitingAt: toIsoOrNull(queue.oldestWaitingAt) },
})
