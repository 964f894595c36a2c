import type { Machine } from '#schema/contract/diagnostics.ts'
import { iso, isoOrNull } from '../platform/clock.ts'
import type { diagnose } from './diagnostics.ts'
import { OFFLINE_AFTER_MS } from './machines.ts'
import type { MachineRow } from './store.ts'

export function viewMachine(row: MachineRow, connected: ReadonlySet<string> | null, now: number): Machine {
	return {
		id: row.id,
		name: row.name,
		state: now - row.lastSeenAt > OFFLINE_AFTER_MS ? 'offline' : row.state,
		connected: connected ? connected.has(row.id) : null,
		capabilities: row.capabilities,
		running: row.running,
		load: row.load,
		registeredAt: iso(row.registeredAt),
		lastSeenAt: iso(row.lastSeenAt),
	}
}

export const viewDiagnostics = ({ queue, ...rest }: Awaited<ReturnType<typeof diagnose>>) => ({
	...rest,
	queue: queue && { ...queue, oldestWaitingAt: isoOrNull(queue.oldestWaitingAt) },
})
