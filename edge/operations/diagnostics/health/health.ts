import { AppError } from '../../../http/errors.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Deps } from '../../../platform/deps.ts'
import { withTimeout } from '../../../platform/network/time-limit.ts'
import { diagnosticsStore } from '../store.ts'

const CHECK_MS = 2_000

export type Check = { ok: boolean; ms: number }

/** Checks one part. A check that exceeds the time limit counts as failed. */
export async function checkPart(deps: Deps, part: string, probe: () => Promise<unknown>): Promise<Check> {
	const started = systemClock()
	try {
		await withTimeout(CHECK_MS, probe(), () => new Error(`no response within ${CHECK_MS} ms`))
		return { ok: true, ms: systemClock() - started }
	} catch (error) {
		deps.log.error('health check failed', error, { part })
		return { ok: false, ms: systemClock() - started }
	}
}

export const checkDatabase = (deps: Deps): Promise<Check> =>
	checkPart(deps, 'database', () => diagnosticsStore(deps.db).ping())

/** Throws 503 while the database does not respond. */
export async function requireDatabase(deps: Deps): Promise<void> {
	if ((await checkDatabase(deps)).ok) return
	throw new AppError('unavailable', 'the database does not respond; try again', {
		headers: { 'retry-after': '5' },
	})
}
