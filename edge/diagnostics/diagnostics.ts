import { check, checkDatabase } from '../health/health.ts'
import { MINUTE } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { readFleetStats } from '../stats/stats.ts'
import { fleetTokenMarks, OFFLINE_AFTER_MS } from './machines.ts'
import { machineStore, queueStore } from './store.ts'

/** An event that waits for longer shows that the relay or a consumer is stuck. */
const LONGEST_WAIT_MS = 5 * MINUTE
/** Never written: a bucket that can say that it is missing works. */
const MISSING_KEY = 'diagnostics/missing'

/** Each part is asked for itself, so that one that is down hides no other. */
export async function diagnose(deps: Deps) {
	const { VAULT, MEDIA } = deps.env.bindings
	const [database, vault, media, queue, machines, transcoding] = await Promise.all([
		checkDatabase(deps),
		check(deps, 'vault', () => VAULT.head(MISSING_KEY)),
		check(deps, 'media', () => MEDIA.head(MISSING_KEY)),
		readQueue(deps),
		readMachines(deps),
		readTranscoding(deps),
	])
	return {
		ok: database.ok && vault.ok && media.ok && queue?.ok === true,
		database: { ...database, driver: deps.env.vars.LIBSQL_URL ? ('libsql' as const) : ('d1' as const) },
		storage: { vault, media },
		queue,
		mail: { kind: deps.mailer.kind },
		machines,
		transcoding,
	}
}

async function readQueue(deps: Deps) {
	try {
		const state = await queueStore(deps.db).readState()
		const waitedMs = state.oldestWaitingAt === null ? 0 : deps.now - state.oldestWaitingAt
		return { ok: waitedMs <= LONGEST_WAIT_MS, ...state }
	} catch (error) {
		deps.log.error('the queue state can not be read', error)
		return null
	}
}

async function readTranscoding(deps: Deps) {
	try {
		return await readFleetStats(deps)
	} catch (error) {
		deps.log.error('the state of transcoding can not be read', error)
		return null
	}
}

async function readMachines(deps: Deps) {
	try {
		return await machineStore(deps.db).countByState(deps.now - OFFLINE_AFTER_MS, await fleetTokenMarks(deps))
	} catch (error) {
		deps.log.error('the machines can not be counted', error)
		return null
	}
}
