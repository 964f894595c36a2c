import type { MachineCapabilities } from '#schema/contract/fleet.ts'
import { AppError } from '../http/errors.ts'
import type { Position } from '../http/page.ts'
import { DAY, HOUR, SECOND } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { newId } from '../platform/ids.ts'
import { outboundUrlProblem } from '../platform/outbound-url.ts'
import { machineToken, type Tokens } from '../platform/tokens.ts'
import { findFleet, requireFleet } from '../transcoding/fleet-door.ts'
import { endWork, takeBackTasksStatement } from '../transcoding/shut-out.ts'
import { readMachineToken } from './machine-door.ts'
import { callStartHook } from './start-hook.ts'
import { evictedIds, machineStore, SIGNED_OFF, signedOffIds } from './store.ts'

export const HEARTBEAT_SECONDS = 30
/** Three heartbeats missed. */
export const OFFLINE_AFTER_MS = 90 * SECOND
const TOKEN_MS = DAY
const RENEW_WITHIN_MS = 6 * HOUR
/** Machines in containers come with a new disk each time; their rows would pile up. */
const FORGET_AFTER_MS = 30 * DAY

export type Registration = {
	fingerprint: string
	name: string
	capabilities: MachineCapabilities
	startHook: string | null
}
export type Report = { state: 'online' | 'draining'; running: number; load: number }

function requireTokens({ tokens }: Deps): Tokens {
	if (!tokens)
		throw new AppError('not_configured', 'this installation takes no machines: AUTH_SECRET is not set')
	return tokens
}

async function signToken(tokens: Tokens, now: number, id: string, tokenVersion: number) {
	const expiresAt = now + TOKEN_MS
	const claims = { typ: 'machine', sub: id, tv: tokenVersion }
	return { token: await tokens.sign(machineToken, claims, now, expiresAt), expiresAt }
}

export async function registerMachine(deps: Deps, registration: Registration) {
	const tokens = requireTokens(deps)
	refusePrivateHook(deps, registration.startHook)
	const registered = await machineStore(deps.db).register({
		id: newId('mch', deps.now),
		...registration,
		registeredWith: (await fleetTokenMarks(deps))[0] ?? SIGNED_OFF,
		now: deps.now,
	})
	if (!registered)
		throw new AppError('forbidden', 'this machine was evicted; a superadmin has to readmit it first')
	const { id, tokenVersion } = registered
	deps.log.info('machine registered', { machineId: id, kind: registration.capabilities.kind })
	return { id, ...(await signToken(tokens, deps.now, id, tokenVersion)) }
}

/**
 * Tells today's FLEET_TOKEN from those of before, without keeping any; none while there is no token. The first is what
 * machines register with; another one stands for the same token while AUTH_SECRET is replaced.
 */
export async function fleetTokenMarks({ env, secrets }: Deps): Promise<readonly string[]> {
	const { FLEET_TOKEN } = env.vars
	return FLEET_TOKEN && secrets ? secrets.hmacs('fleet-token-mark', FLEET_TOKEN) : []
}

/** The edge calls it, and must not be sent to where only the edge gets. */
function refusePrivateHook(deps: Deps, startHook: string | null): void {
	const problem = startHook !== null && outboundUrlProblem(deps, startHook)
	if (problem) throw new AppError('validation', `startHook: ${problem}`)
}

/** Notes what a machine says of itself. Answers a new token when the one it showed is near its end. */
export async function noteHeartbeat(
	deps: Deps,
	id: string,
	report: Report,
	token: string,
): Promise<string | null> {
	const claims = await readMachineToken(deps, token)
	// Asked again in the statement itself: it may have left, or registered anew, since it was let in.
	if (
		!claims ||
		!(await machineStore(deps.db).beat({ id, tokenVersion: claims.tv, ...report, now: deps.now }))
	)
		throw new AppError('unauthorized', 'register this machine again')
	if (claims.exp * SECOND - deps.now > RENEW_WITHIN_MS) return null
	return (await signToken(requireTokens(deps), deps.now, id, claims.tv)).token
}

export async function leaveFleet(deps: Deps, id: string): Promise<void> {
	await machineStore(deps.db).leave(id, deps.now)
	deps.log.info('machine left', { machineId: id })
	const fleet = findFleet(deps.env)
	if (fleet) deps.defer(fleet.disconnect(id))
}

/** One more than `limit`, which tells whether there is another page. */
export function listMachines(deps: Deps, after: Position | null, limit: number) {
	const last = after && { registeredAt: after[0], id: String(after[1]) }
	return machineStore(deps.db).list(last, limit + 1)
}

/** Which machines hold a socket; null when the fleet object can't say. */
export async function findConnected(deps: Deps): Promise<ReadonlySet<string> | null> {
	try {
		return new Set(await findFleet(deps.env)?.connected())
	} catch (error) {
		deps.log.error('the fleet object does not answer', error)
		return null
	}
}

const stranger = () => new AppError('not_found', 'no such machine')

export async function pauseMachine(deps: Deps, id: string): Promise<void> {
	if (!(await machineStore(deps.db).pause(id, deps.now))) throw stranger()
	deps.log.info('machine paused', { machineId: id })
}

/** Answers how many tasks it was at. */
export async function evictMachine(deps: Deps, id: string): Promise<number> {
	const [evicted, taken] = await deps.db.batch([
		machineStore(deps.db).evict(id, deps.now),
		takeBackTasksStatement(deps, evictedIds(id)),
	])
	if (evicted.length === 0) throw stranger()
	deps.log.warn('machine evicted', { machineId: id, tasks: taken.length })
	endWork(deps, [id], taken)
	return taken.length
}

export async function readmitMachine(deps: Deps, id: string): Promise<void> {
	if (!(await machineStore(deps.db).readmit(id))) throw stranger()
	deps.log.info('machine readmitted', { machineId: id })
}

/** After FLEET_TOKEN was changed: whoever has the new one registers again, and the others are out. */
export async function signOffOutdatedMachines(
	deps: Deps,
): Promise<{ machines: number; tasksReturned: number }> {
	const [gone, taken] = await deps.db.batch([
		machineStore(deps.db).signOffOutdated(await fleetTokenMarks(deps)),
		takeBackTasksStatement(deps, signedOffIds),
	])
	deps.log.warn('machines with an older fleet token signed off', { machines: gone.length })
	endWork(
		deps,
		gone.map(({ id }) => id),
		taken,
	)
	return { machines: gone.length, tasksReturned: taken.length }
}

/** Answers by which way it hears of it, and whether it was paused until now. */
export async function startMachine(
	deps: Deps,
	id: string,
): Promise<{ by: 'socket' | 'hook' | 'poll'; resumed: boolean }> {
	const store = machineStore(deps.db)
	const machine = await store.find(id)
	if (!machine) throw stranger()
	if (machine.evictedAt !== null)
		throw new AppError('conflict', 'the machine was evicted; readmit it first, and it registers by itself')
	const isOff = machine.state === 'offline' || deps.now - machine.lastSeenAt > OFFLINE_AFTER_MS
	if (!isOff && machine.state === 'draining')
		throw new AppError('conflict', 'the machine is about to stop; start it when it is off')
	const resumed = machine.pausedAt !== null && (await store.resume(id))
	if ((await requireFleet(deps.env).wake({ machineIds: [id] })) > 0) return { by: 'socket', resumed }
	if (!isOff && resumed) return { by: 'poll', resumed }
	if (!isOff)
		throw new AppError('conflict', 'the machine holds no connection; it comes by itself at its next poll')
	const { startHook } = machine
	if (startHook === null)
		throw new AppError(
			'conflict',
			'the machine is off and registered no start hook; start transcoder-daemon on it by hand',
		)
	await callStartHook(deps, { ...machine, startHook })
	return { by: 'hook', resumed }
}

/** Run daily. */
export const forgetMachines = (deps: Deps): Promise<number> =>
	machineStore(deps.db).forget(deps.now - FORGET_AFTER_MS)
