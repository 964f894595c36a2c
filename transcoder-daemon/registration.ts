import { ApiError, type Client } from '#schema/contract/client.ts'
import { FLEET_PROTOCOL, type MachineCapabilities, registerMachine } from '#schema/contract/fleet.ts'
import { backoffMs } from './backoff.ts'
import { type Log, reasonOf } from './log.ts'
import type { Sleep } from './time.ts'

const CALL_MS = 15_000
const RETRY = { firstMs: 1_000, capMs: 30_000 }
/** A refusal changes only when a person changes something. */
const RETRY_REFUSED = { firstMs: 60_000, capMs: 60_000 }

export type Session = {
	id: string
	/** Replaced by a heartbeat's answer before it ends. */
	token: string
	heartbeatMs: number
	/** What the edge was told last. */
	knownAs: 'online' | 'draining' | null
}

export type Registrar = {
	client: Client<AbortSignal>
	fleetToken: string
	machine: { fingerprint: string; name: string; capabilities: MachineCapabilities }
	sleep: Sleep
	random(): number
	log: Log
}

/** Registers, however long that takes: an edge may start after its machines. null when the signal came first. */
export async function registerUntilTaken(registrar: Registrar, signal: AbortSignal): Promise<Session | null> {
	const { client, fleetToken, machine, sleep, random, log } = registrar
	const { capabilities, ...who } = machine
	const body = { ...who, ...capabilities, protocol: FLEET_PROTOCOL } as const
	for (let failures = 0; !signal.aborted; failures++) {
		try {
			const limit = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)])
			const { data } = await client.call(registerMachine, { body }, { token: fleetToken, signal: limit })
			log.info('registered', { machineId: data.id, name: machine.name })
			return { id: data.id, token: data.token, heartbeatMs: data.heartbeatSeconds * 1_000, knownAs: null }
		} catch (error) {
			if (signal.aborted) return null
			const refusal = explainRefusal(error)
			const ms = retryMs(error, refusal !== null, failures, random)
			if (refusal) log.error(refusal, { ...detailsOf(error), retryInMs: ms })
			else log.warn('the edge can not be reached to register', { ...detailsOf(error), retryInMs: ms })
			await sleep(ms, signal)
		}
	}
	return null
}

function retryMs(error: unknown, refused: boolean, failures: number, random: () => number): number {
	const askedFor = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0
	return askedFor + backoffMs(failures, refused ? RETRY_REFUSED : RETRY, random)
}

/** What a person has to put right; null for what passes by itself. */
function explainRefusal(error: unknown): string | null {
	if (!(error instanceof ApiError) || error.status === 429) return null
	if (error.status === 401)
		return "the edge refuses the fleet token: PLAYHOUSE_FLEET_TOKEN must be the edge's FLEET_TOKEN"
	if (error.status === 501) return 'the edge takes no machines: FLEET_TOKEN or AUTH_SECRET is not set there'
	if (error.status === 403)
		return 'this machine was evicted: a superadmin has to readmit it (POST /v1/diagnostics/workers/{id}/readmit)'
	if (error.status === 404) return 'no Playhouse edge answers at PLAYHOUSE_EDGE_URL'
	if (error.status === 400) return 'the edge does not understand this daemon: one of the two is too old'
	return error.status < 500 ? 'the edge refuses this machine' : null
}

export const detailsOf = (error: unknown) =>
	error instanceof ApiError
		? { reason: error.message, status: error.status, code: error.code, requestId: error.requestId }
		: { reason: reasonOf(error) }
