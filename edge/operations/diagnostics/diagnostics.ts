import type { PageQuery } from '#schema/contract/kit/page.ts'
import { decodeCursor } from '../../http/page.ts'
import { MINUTE } from '../../platform/clock.ts'
import type { Deps } from '../../platform/deps.ts'
import { readMeasures, sumValues } from '../../platform/metrics/measures.ts'
import {
	findConnected,
	listFleetTokenMarks,
	listMachines,
	OFFLINE_AFTER_MS,
} from '../../video/fleet/machines.ts'
import { machineStore } from '../../video/fleet/store.ts'
import { eventsWaiting, oldestEvent, unsentDeadLetters } from '../background/metrics.ts'
import { repairStore } from '../backups/rewind/repair-store.ts'
import { checkDatabase, checkPart } from './health/health.ts'
import { readPart } from './part.ts'
import { readFleetStats, readMachineWork } from './stats/stats.ts'

/** A longer wait shows that the relay or a consumer is stuck. */
const MAX_WAIT_MS = 5 * MINUTE
/** Never written; a bucket that reports it as missing works. */
const MISSING_KEY = 'diagnostics/missing'

const queueMeasures = { waiting: eventsWaiting, oldest: oldestEvent, deadLetters: unsentDeadLetters }

/** Checks every part separately, so that a failing one hides no other. */
export async function diagnose(deps: Deps) {
	const { VAULT, MEDIA } = deps.env.bindings
	const [database, vault, media, queue, machines, transcoding, lastRepair] = await Promise.all([
		checkDatabase(deps),
		checkPart(deps, 'vault', () => VAULT.head(MISSING_KEY)),
		checkPart(deps, 'media', () => MEDIA.head(MISSING_KEY)),
		readPart(deps, 'queue', () => readQueue(deps)),
		readPart(deps, 'machines', () => countMachines(deps)),
		readPart(deps, 'transcoding', () => readFleetStats(deps)),
		readPart(deps, 'last repair', async () => (await repairStore(deps.db).findNewest()) ?? null),
	])
	return {
		ok: database.ok && vault.ok && media.ok && queue?.ok === true,
		database: { ...database, driver: deps.env.vars.LIBSQL_URL ? ('libsql' as const) : ('d1' as const) },
		storage: { vault, media },
		queue,
		mail: { kind: deps.mailer.kind },
		machines,
		transcoding,
		lastRepair,
	}
}

/** Returns a page of machines, and what is known about each: whether it is connected, its work, and its fleet token. */
export async function readMachinePage(deps: Deps, query: PageQuery) {
	const [rows, connected, findWork, marks] = await Promise.all([
		listMachines(deps, decodeCursor(query), query.limit),
		findConnected(deps),
		readMachineWork(deps),
		listFleetTokenMarks(deps),
	])
	return { rows, connected, findWork, fleetTokenMarks: marks }
}

async function readQueue({ db, now }: Deps) {
	const { waiting, oldest, deadLetters } = await readMeasures(db, queueMeasures, now)
	const oldestWaitingAt = oldest[0]?.value ?? null
	return {
		ok: oldestWaitingAt === null || now - oldestWaitingAt <= MAX_WAIT_MS,
		deadLetters: sumValues(deadLetters),
		waiting: sumValues(waiting),
		oldestWaitingAt,
	}
}

const countMachines = async (deps: Deps) =>
	machineStore(deps.db).countByState(deps.now - OFFLINE_AFTER_MS, await listFleetTokenMarks(deps))
