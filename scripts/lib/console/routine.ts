import { healthLive, healthReady } from '#schema/contract/operations/health.ts'
import {
	connectMachine,
	heartbeatMachine,
	leaveMachine,
	registerMachine,
} from '#schema/contract/video/fleet.ts'
import { claimTask, heartbeatTask } from '#schema/contract/video/leases.ts'
import type { LogEntry, LogLevel } from '../../../transcoder-daemon/log-format.ts'

/** Routine messages, which the console shows with LOG_LEVEL=debug only. */
export const routineMessages: ReadonlySet<string> = new Set([
	// Worker
	'job completed',
	'mail sent',
	'storage purged',
	// Daemon
	'encoder tried',
	'decoder tried',
	'source loaded',
	'task claimed',
	'task done',
])

const routineRequests = [
	healthLive,
	healthReady,
	heartbeatMachine,
	registerMachine,
	connectMachine,
	leaveMachine,
	claimTask,
	heartbeatTask,
]
const routineOperations: ReadonlySet<unknown> = new Set(routineRequests.map(({ id }) => id))
const routinePaths = routineRequests.map(
	({ path }) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
)

/**
 * Sets routine entries to debug and other requests to `requests`. A request that failed with a 5xx becomes a warning.
 */
export function rankEntry(entry: LogEntry, requests: LogLevel): LogEntry {
	if (entry.level !== 'info') return entry
	if (entry.message !== 'request')
		return routineMessages.has(entry.message) ? { ...entry, level: 'debug' } : entry
	const status = Number(entry.fields.status)
	if (status >= 500) return { ...entry, level: 'warn' }
	return { ...entry, level: status < 400 && isRoutineRequest(entry) ? 'debug' : requests }
}

function isRoutineRequest({ fields: { operation, path } }: LogEntry): boolean {
	return routineOperations.has(operation) || routinePaths.some((pattern) => pattern.test(String(path)))
}
