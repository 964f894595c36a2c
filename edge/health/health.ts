import { systemClock } from '../platform/clock.ts'
import type { Deps } from '../platform/deps.ts'
import { healthStore } from './store.ts'

const CHECK_MS = 2_000

export type Check = { ok: boolean; ms: number }

/** Asks a part whether it works. What does not answer in time does not work, whatever it is still at. */
export async function check(deps: Deps, part: string, ask: () => Promise<unknown>): Promise<Check> {
	const started = systemClock()
	let timer: ReturnType<typeof setTimeout> | undefined
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_MS} ms`)), CHECK_MS)
	})
	try {
		await Promise.race([ask(), late])
		return { ok: true, ms: systemClock() - started }
	} catch (error) {
		deps.log.error('a check failed', error, { part })
		return { ok: false, ms: systemClock() - started }
	} finally {
		clearTimeout(timer)
	}
}

export const checkDatabase = (deps: Deps): Promise<Check> =>
	check(deps, 'database', () => healthStore(deps.db).answer())
