import type { MachineCapabilities } from '#schema/contract/video/fleet.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import type { Position } from '../../http/page.ts'
import { requireTokens } from '../../http/require-secrets.ts'
import { DAY, HOUR, SECOND } from '../../platform/clock.ts'
import { newId } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { findOutboundUrlProblem } from '../../platform/network/outbound-url.ts'
import { machineToken, type Tokens } from '../../platform/tokens/tokens.ts'
import { readMachineToken } from './authenticate.ts'
import { findFleet, requireFleet } from './fleet-stub.ts'
import { callStartHook } from './start-hook.ts'
import { machineStore, SIGNED_OFF } from './store.ts'

export const HEARTBEAT_SECONDS = 30
/** Three missed heartbeats. */
export const OFFLINE_AFTER_MS = 90 * SECOND
const TOKEN_MS = DAY
const RENEW_WITHIN_MS = 6 * HOUR
/** Machines in containers register with a new fingerprint each time, so old rows would accumulate. */
const PRUNE_AFTER_MS = 30 * DAY

export type Registration = {
	fingerprint: string
	name: string
	capabilities: MachineCapabilities
	startHook: string | null
}
export type Report = { state: 'online' | 'draining'; running: number; load: number }

const machineTokens = (deps: Deps): Tokens => requireTokens(deps, 'machines')

async function signToken(tokens: Tokens, now: number, id: string, tokenVersion: number) {
	const expiresAt = now + TOKEN_MS
	const claims = { typ: 'machine', sub: id, tv: tokenVersion }
	return { token: await tokens.sign(machineToken, claims, now, expiresAt), expiresAt }
}

export async function registerMachine(deps: Deps, registration: Registration) {
	const tokens = machineTokens(deps)
	requirePublicHook(deps, registration.startHook)
	const registered = await machineStore(deps.db).register(deps.work, {
		id: newId('mch', deps.now),
		...registration,
		registeredWith: (await listFleetTokenMarks(deps))[0] ?? SIGNED_OFF,
		now: deps.now,
	})
	if (!registered) throw new AppError('forbidden', 'this machine was evicted; ask a superadmin to readmit it')
	const { id, tokenVersion } = registered
	deps.log.info('machine registered', { machineId: id, kind: registration.capabilities.kind })
	return { id, ...(await signToken(tokens, deps.now, id, tokenVersion)) }
}

/**
 * Returns marks that identify the current FLEET_TOKEN without storing it; none if it is not set. Registrations record
 * the first. During a rotation of AUTH_SECRET, a second mark identifies the same token.
 */
export async function listFleetTokenMarks({ env, secrets }: Deps): Promise<readonly string[]> {
	const { FLEET_TOKEN } = env.vars
	return FLEET_TOKEN && secrets ? secrets.hmacs('fleet-token-mark', FLEET_TOKEN) : []
}

/** Rejects URLs of private networks, because the edge itself calls the hook. */
function requirePublicHook(deps: Deps, startHook: string | null): void {
	const problem = startHook !== null && findOutboundUrlProblem(deps, startHook)
	if (problem) throw new AppError('validation', `startHook: ${problem}`)
}

/** Records a heartbeat. Returns a new token if the current one expires soon. */
export async function recordHeartbeat(
	deps: Deps,
	id: string,
	report: Report,
	token: string,
): Promise<string | null> {
	const claims = await readMachineToken(deps, token)
	// The statement checks the token again: the machine may have left or re-registered since it was authenticated.
	if (
		!claims ||
		!(await machineStore(deps.db).recordHeartbeat({ id, tokenVersion: claims.tv, ...report, now: deps.now }))
	)
		throw new AppError('unauthorized', 'the machine token is invalid; register this machine again')
	if (claims.exp * SECOND - deps.now > RENEW_WITHIN_MS) return null
	return (await signToken(machineTokens(deps), deps.now, id, claims.tv)).token
}

export async function leaveFleet(deps: Deps, id: string): Promise<void> {
	await machineStore(deps.db).leave(id, deps.now)
	deps.log.info('machine left', { machineId: id })
	const fleet = findFleet(deps.env)
	if (fleet) deps.defer(fleet.disconnect(id))
}

/** Returns one row more than `limit`, which shows whether there is another page. */
export function listMachines(deps: Deps, after: Position | null, limit: number) {
	const last = after && { registeredAt: after[0], id: String(after[1]) }
	return machineStore(deps.db).list(last, limit + 1)
}

/** Returns the machines with an open socket, or null if the fleet object does not respond. */
export async function findConnected(deps: Deps): Promise<ReadonlySet<string> | null> {
	try {
		return new Set(await findFleet(deps.env)?.connected())
	} catch (error) {
		deps.log.error('the fleet object does not respond', error)
		return null
	}
}

export const machineNotFoundError = () => notFoundError('machine')

export async function pauseMachine(deps: Deps, id: string): Promise<void> {
	if (!(await machineStore(deps.db).pause(deps.work, id))) throw machineNotFoundError()
	deps.log.info('machine paused', { machineId: id })
}

export async function setMachinePrice(
	{ db, work }: Deps,
	id: string,
	hourlyPrice: number | null,
): Promise<void> {
	const micros = hourlyPrice === null ? null : Math.round(hourlyPrice * 1_000_000)
	if (!(await machineStore(db).setPrice(work, id, micros))) throw machineNotFoundError()
}

export async function readmitMachine(deps: Deps, id: string): Promise<void> {
	if (!(await machineStore(deps.db).readmit(deps.work, id))) throw machineNotFoundError()
	deps.log.info('machine readmitted', { machineId: id })
}

/** Starts or resumes a machine. Returns how it learns of the start, and whether it was paused. */
export async function startMachine(
	deps: Deps,
	id: string,
): Promise<{ by: 'socket' | 'hook' | 'poll'; resumed: boolean }> {
	const store = machineStore(deps.db)
	const machine = await store.find(id)
	if (!machine) throw machineNotFoundError()
	if (machine.evictedAt !== null)
		throw new AppError('conflict', 'the machine was evicted; readmit it, then it registers by itself')
	const isOff = machine.state === 'offline' || deps.now - machine.lastSeenAt > OFFLINE_AFTER_MS
	if (!isOff && machine.state === 'draining')
		throw new AppError('conflict', 'the machine is draining; start it once it is offline')
	const resumed = machine.pausedAt !== null && (await store.resume(deps.work, id))
	if ((await requireFleet(deps.env).wake({ machineIds: [id] })) > 0) return { by: 'socket', resumed }
	if (!isOff && resumed) return { by: 'poll', resumed }
	if (!isOff) throw new AppError('conflict', 'the machine has no open socket; wait until it polls again')
	const { startHook } = machine
	if (startHook === null)
		throw new AppError(
			'conflict',
			'the machine is offline and has no start hook; start transcoder-daemon on it by hand',
		)
	await callStartHook(deps, { ...machine, startHook })
	return { by: 'hook', resumed }
}

/** Deletes machines that have been silent for long. Runs daily. */
export const pruneMachines = (deps: Deps): Promise<number> =>
	machineStore(deps.db).prune(deps.now - PRUNE_AFTER_MS)
