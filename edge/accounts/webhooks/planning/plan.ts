import type { Deps } from '../../../platform/deps.ts'
import { wakeEventStreams } from '../events/stream-events.ts'
import { planStore } from './plan-store.ts'
import { toWakeMessage, type Wake, wakeEndpoints } from './wake.ts'

/** One batch inserts at most 500 deliveries for each of them. */
const ENDPOINTS_A_BATCH = 10
/** The sweep continues after this many batches. */
const MAX_BATCHES = 20
const MAX_ENDPOINTS_A_RUN = 500

/** Plans the deliveries of the public events that a request recorded, once its transactions are committed. */
export async function planRecordedEvents(deps: Deps): Promise<void> {
	const { publicEventIds } = deps.work
	const ids = [...publicEventIds]
	if (ids.length === 0) return
	publicEventIds.clear()
	const found = await planStore(deps.db).findUnplanned(ids)
	const storedIds = new Set(found.map(({ eventId }) => eventId))
	// An event that is not stored may belong to a running batch. A later call finds it.
	for (const id of ids) if (!storedIds.has(id)) publicEventIds.add(id)
	await wakeEventStreams(deps, new Set(found.flatMap(({ orgId }) => orgId ?? [])))
	await planEndpoints(deps, [...new Set(found.flatMap(({ endpointId }) => endpointId ?? []))])
}

/** Plans events of requests that ended before planning them. */
export async function planMissedEvents(deps: Deps): Promise<void> {
	await planEndpoints(deps, await planStore(deps.db).listBehind(MAX_ENDPOINTS_A_RUN))
}

/** Plans all missing events of endpoints, then starts the deliveries. */
export async function planEndpoints(deps: Deps, endpointIds: readonly string[]): Promise<void> {
	for (let at = 0; at < endpointIds.length; at += ENDPOINTS_A_BATCH)
		await planSome(deps, endpointIds.slice(at, at + ENDPOINTS_A_BATCH))
}

async function planSome(deps: Deps, endpointIds: readonly string[]): Promise<void> {
	const wakes = new Map<string, Wake>()
	let behind = endpointIds
	for (let batches = 0; behind.length > 0 && batches < MAX_BATCHES; batches++) {
		const advanced = await planStore(deps.db).planNext(behind, deps.now)
		for (const endpoint of advanced)
			if (endpoint.nextAttemptAt <= deps.now && !endpoint.isBusy)
				wakes.set(endpoint.endpointId, toWakeMessage(endpoint))
		behind = advanced.filter(({ isBehind }) => isBehind).map(({ endpointId }) => endpointId)
	}
	await wakeEndpoints(deps, [...wakes.values()])
}
