import { ApiError, type Client } from '#schema/contract/kit/client.ts'
import { FLEET_PROTOCOL, type MachineCapabilities, registerMachine } from '#schema/contract/video/fleet.ts'
import { computeBackoffMs } from '../backoff.ts'
import { describeReason, type Log } from '../log.ts'
import type { Sleep } from '../time.ts'

const CALL_MS = 15_000
const RETRY = { firstMs: 1_000, capMs: 30_000 }
/** A rejection lasts until a person changes something. */
const RETRY_REJECTED = { firstMs: 60_000, capMs: 60_000 }

export type Session = {
	id: string
	/** Renewed by a heartbeat's response before it expires. */
	token: string
	heartbeatMs: number
	/** The state last reported to the edge. */
	reportedState: 'online' | 'draining' | null
}

export type Registrar = {
	client: Client<AbortSignal>
	fleetToken: string
	machine: { fingerprint: string; name: string; capabilities: MachineCapabilities }
	sleep: Sleep
	random(): number
	log: Log
}

/**
 * Registers, retrying without limit, since an edge may start after its machines. Returns null if the signal came first.
 */
export async function registerUntilAccepted(
	registrar: Registrar,
	signal: AbortSignal,
): Promise<Session | null> {
	const { client, fleetToken, machine, sleep, random, log } = registrar
	const { capabilities, ...who } = machine
	const body = { ...who, ...capabilities, protocol: FLEET_PROTOCOL } as const
	for (let failures = 0; !signal.aborted; failures++) {
		try {
			const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)])
			const { data } = await client.call(registerMachine, { body }, { token: fleetToken, signal: limit })
			log.info('registered', { machineId: data.id, name: machine.name })
			return {
				id: data.id,
				token: data.token,
				heartbeatMs: data.heartbeatSeconds * 1_000,
				reportedState: null,
			}
		} catch (error) {
			if (signal.aborted) return null
			const rejection = explainRejection(error)
			const ms = retryMs(error, rejection !== null, failures, random)
			if (rejection) log.error(rejection, { ...describeError(error), retryInMs: ms })
			else log.warn("can't reach the edge to register", { ...describeError(error), retryInMs: ms })
			await sleep(ms, signal)
		}
	}
	return null
}

function retryMs(error: unknown, isRejected: boolean, failures: number, random: () => number): number {
	const retryAfterMs = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
	return retryAfterMs + computeBackoffMs(failures, isRejected ? RETRY_REJECTED : RETRY, random)
}

/** Explains what an operator must fix; null for an error that passes by itself. */
function explainRejection(error: unknown): string | null {
	if (!(error instanceof ApiError) || error.status === 429) return null
	if (error.status === 401)
		return "the edge rejects the fleet token: set PLAYHOUSE_FLEET_TOKEN to the edge's FLEET_TOKEN"
	if (error.status === 501) return 'the edge accepts no machines: set FLEET_TOKEN and AUTH_SECRET there'
	if (error.status === 403)
		return 'this machine was evicted: ask a superadmin to readmit it (POST /v1/diagnostics/workers/{id}/readmit)'
	if (error.status === 404) return 'no Playhouse edge answers at PLAYHOUSE_EDGE_URL: check the address'
	if (error.status === 400) return 'the edge does not understand this daemon: update the older of the two'
	return error.status < 500 ? 'the edge rejects this machine' : null
}

export const describeError = (error: unknown) =>
	error instanceof ApiError
		? { reason: error.message, status: error.status, code: error.code, requestId: error.requestId }
		: { reason: describeReason(error) }
