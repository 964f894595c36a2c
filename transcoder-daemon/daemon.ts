import { ApiError } from '#schema/contract/client.ts'
import { heartbeatMachine, leaveMachine } from '#schema/contract/fleet.ts'
import { backoffMs } from './backoff.ts'
import { Bell } from './bell.ts'
import { detailsOf, type Registrar, registerUntilTaken, type Session } from './registration.ts'
import type { Shutdown } from './shutdown.ts'

const BEAT_MS = 10_000
/** Supervisors kill after ten seconds or more; signing off must fit, also when the edge is gone. */
const GOODBYE_MS = 4_000
const RETRY_MS = 1_000
/** A token that dies before this many heartbeats was likely ended by a second machine of the same identity. */
const FEW_BEATS = 3
const RETRY_LOST = { firstMs: 2_000, capMs: 120_000 }

export type World = Registrar & {
	readLoad(): number
	/** Of tasks, for the edge to know. */
	running(): number
	/** Holds the socket that rings when there is work, until the signal ends it. */
	hold(session: Session, ring: () => void, signal: AbortSignal): Promise<void>
	/** Takes tasks until told to drain, and answers when none runs any more. */
	work(desk: WorkDesk, drain: AbortSignal): Promise<void>
}

/** What the work has to know of the registration. */
export type WorkDesk = { token(): string; onStranger(): void }

type Stop = Pick<Shutdown, 'drain' | 'abort'>

/** Registers and stays, through whatever the edge and the network do, until told to drain and all work has ended. */
export async function runDaemon(world: World, { drain, abort }: Stop): Promise<void> {
	const over = new AbortController()
	const bell = new Bell()
	let session: Session | null = null
	let working: Promise<void> | null = null
	const desk = {
		token: () => session?.token ?? '',
		// A heartbeat is refused too, and leads to another registration.
		onStranger: () => bell.ring(),
	}
	drain.addEventListener('abort', () => {
		if (working) bell.ring()
		else over.abort()
	})
	let quickLosses = 0
	while (!over.signal.aborted && !(drain.aborted && !working)) {
		session = await registerUntilTaken(world, working ? over.signal : drain)
		if (!session) break
		working ??= world.work(desk, drain).finally(() => over.abort())
		const ended = new AbortController()
		const line = world.hold(session, () => bell.ring(), AbortSignal.any([ended.signal, abort]))
		try {
			const beats = await stayInTouch(world, session, bell, drain, over.signal)
			if (over.signal.aborted) return await signOff(world, session, abort)
			quickLosses = beats > FEW_BEATS ? 0 : quickLosses + 1
		} finally {
			ended.abort()
			await line
		}
		world.log.warn('the edge knows this machine no longer; registering again', { machineId: session.id })
		if (quickLosses < 2) continue
		world.log.error(
			'registrations end right after they began: does another machine use a copy of this data directory?',
		)
		await world.sleep(backoffMs(quickLosses, RETRY_LOST, world.random), over.signal)
	}
	await working
}

/** Heartbeats until the edge forgets the machine or its work is over; answers how many were taken. */
async function stayInTouch(
	world: World,
	session: Session,
	bell: Bell,
	drain: AbortSignal,
	over: AbortSignal,
): Promise<number> {
	let beats = 0
	let failures = 0
	while (!over.aborted) {
		try {
			const state = drain.aborted ? 'draining' : 'online'
			await beat(world, session, state, AbortSignal.any([over, AbortSignal.timeout(BEAT_MS)]))
			if (failures > 0) world.log.info('the edge answers again', { failures })
			beats++
			failures = 0
		} catch (error) {
			if (over.aborted) break
			if (isLost(error)) return beats
			if (failures++ === 0) world.log.warn('the edge does not answer', detailsOf(error))
		}
		await bell.wait(waitMs(world, session, failures), world.sleep, over)
	}
	return beats
}

/** Spread by a tenth, so that machines that started together do not report together for ever. */
function waitMs({ random }: World, { heartbeatMs }: Session, failures: number): number {
	if (failures > 0) return backoffMs(failures, { firstMs: RETRY_MS, capMs: heartbeatMs }, random)
	return heartbeatMs * (0.9 + 0.2 * random())
}

const isLost = (error: unknown) => error instanceof ApiError && error.status === 401

async function beat(
	{ client, readLoad, running }: World,
	session: Session,
	state: 'online' | 'draining',
	signal: AbortSignal,
) {
	const body = { state, running: running(), load: readLoad() }
	const { data } = await client.call(heartbeatMachine, { body }, { token: session.token, signal })
	if (data.token) session.token = data.token
	session.knownAs = state
}

/** Best effort: an edge that does not hear of it finds out by itself, after ninety seconds. */
async function signOff(world: World, session: Session, abort: AbortSignal): Promise<void> {
	const limit = AbortSignal.any([abort, AbortSignal.timeout(GOODBYE_MS)])
	try {
		if (session.knownAs !== 'draining') await beat(world, session, 'draining', limit)
		await world.client.call(leaveMachine, {}, { token: session.token, signal: limit })
		world.log.info('signed off', { machineId: session.id })
	} catch (error) {
		if (!abort.aborted) world.log.warn('could not sign off', detailsOf(error))
	}
}
