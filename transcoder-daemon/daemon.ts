import { ApiError } from '#schema/contract/kit/client.ts'
import { heartbeatMachine, leaveMachine } from '#schema/contract/video/fleet.ts'
import { computeBackoffMs } from './backoff.ts'
import { describeError, type Registrar, registerUntilAccepted, type Session } from './edge/registration.ts'
import { WakeSignal } from './edge/wake-signal.ts'
import type { Shutdown } from './run/shutdown.ts'

const HEARTBEAT_MS = 10_000
/** Supervisors kill after ten seconds or more; signing off must finish before that, even without a response. */
const SIGN_OFF_MS = 4_000
const RETRY_MS = 1_000
/** A token that ends before this many heartbeats was probably revoked by a second machine with the same identity. */
const FEW_HEARTBEATS = 3
const RETRY_LOST = { firstMs: 2_000, capMs: 120_000 }

export type DaemonDeps = Registrar & {
	readLoad(): number
	/** Number of running tasks, as reported to the edge. */
	running(): number
	/** Keeps a socket open that calls `onWake` when there is work, until the signal ends it. */
	hold(session: Session, onWake: () => void, signal: AbortSignal): Promise<void>
	/** Claims tasks until drained; resolves once every task has ended. */
	work(session: WorkSession, drain: AbortSignal): Promise<void>
}

export type WorkSession = { token(): string; onUnauthorized(): void }

type Stop = Pick<Shutdown, 'drain' | 'abort'>

/** Registers and stays registered through outages of edge and network, until it is drained and all work has ended. */
export async function runDaemon(deps: DaemonDeps, { drain, abort }: Stop): Promise<void> {
	const workEnd = new AbortController()
	const wakeSignal = new WakeSignal()
	let session: Session | null = null
	let working: Promise<void> | null = null
	const workSession = {
		token: () => session?.token ?? '',
		// The next heartbeat fails too, and causes another registration.
		onUnauthorized: () => wakeSignal.wake(),
	}
	drain.addEventListener('abort', () => {
		if (working) wakeSignal.wake()
		else workEnd.abort()
	})
	let quickLosses = 0
	while (!workEnd.signal.aborted && !(drain.aborted && !working)) {
		session = await registerUntilAccepted(deps, working ? workEnd.signal : drain)
		if (!session) break
		working ??= deps.work(workSession, drain).finally(() => workEnd.abort())
		const ended = new AbortController()
		const connection = deps.hold(session, () => wakeSignal.wake(), AbortSignal.any([ended.signal, abort]))
		try {
			const heartbeats = await sendHeartbeats(deps, session, wakeSignal, drain, workEnd.signal)
			if (workEnd.signal.aborted) return await signOff(deps, session, abort)
			quickLosses = heartbeats > FEW_HEARTBEATS ? 0 : quickLosses + 1
		} finally {
			ended.abort()
			await connection
		}
		deps.log.warn('the edge no longer accepts the machine token; registering again', {
			machineId: session.id,
		})
		if (quickLosses < 2) continue
		deps.log.error(
			'registrations end right after they begin; check that no other machine uses a copy of this data directory',
		)
		await deps.sleep(computeBackoffMs(quickLosses, RETRY_LOST, deps.random), workEnd.signal)
	}
	await working
}

/** Sends heartbeats until the edge rejects the token or the work has ended; returns how many succeeded. */
async function sendHeartbeats(
	deps: DaemonDeps,
	session: Session,
	wakeSignal: WakeSignal,
	drain: AbortSignal,
	workEnd: AbortSignal,
): Promise<number> {
	let heartbeats = 0
	let failures = 0
	while (!workEnd.aborted) {
		try {
			const state = drain.aborted ? 'draining' : 'online'
			await sendHeartbeat(deps, session, state, AbortSignal.any([workEnd, AbortSignal.timeout(HEARTBEAT_MS)]))
			if (failures > 0) deps.log.info('the edge answers again', { failures })
			heartbeats++
			failures = 0
		} catch (error) {
			if (workEnd.aborted) break
			if (isUnauthorized(error)) return heartbeats
			if (failures++ === 0) deps.log.warn('the edge does not answer', describeError(error))
		}
		await wakeSignal.wait(waitMs(deps, session, failures), deps.sleep, workEnd)
	}
	return heartbeats
}

/** Varies the interval by a tenth, so that machines that started together spread out. */
function waitMs({ random }: DaemonDeps, { heartbeatMs }: Session, failures: number): number {
	if (failures > 0) return computeBackoffMs(failures, { firstMs: RETRY_MS, capMs: heartbeatMs }, random)
	return heartbeatMs * (0.9 + 0.2 * random())
}

const isUnauthorized = (error: unknown) => error instanceof ApiError && error.status === 401

async function sendHeartbeat(
	{ client, readLoad, running }: DaemonDeps,
	session: Session,
	state: 'online' | 'draining',
	signal: AbortSignal,
) {
	const body = { state, running: running(), load: readLoad() }
	const { data } = await client.call(heartbeatMachine, { body }, { token: session.token, signal })
	if (data.token) session.token = data.token
	session.reportedState = state
}

/** Signs off if it can. An edge that misses this notices the absence after ninety seconds. */
async function signOff(deps: DaemonDeps, session: Session, abort: AbortSignal): Promise<void> {
	const limit = AbortSignal.any([abort, AbortSignal.timeout(SIGN_OFF_MS)])
	try {
		if (session.reportedState !== 'draining') await sendHeartbeat(deps, session, 'draining', limit)
		await deps.client.call(leaveMachine, {}, { token: session.token, signal: limit })
		deps.log.info('signed off', { machineId: session.id })
	} catch (error) {
		if (!abort.aborted) deps.log.warn('could not sign off', describeError(error))
	}
}
