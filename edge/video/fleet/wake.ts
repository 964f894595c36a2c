import type { Deps } from '../../platform/deps.ts'
import { findFleet } from './fleet-stub.ts'

/** Wakes all machines. A failure is only logged, since machines also poll. */
export async function wakeFleet({ env, log }: Pick<Deps, 'env' | 'log'>): Promise<void> {
	try {
		await findFleet(env)?.wake()
	} catch (error) {
		log.error('waking the fleet failed', error)
	}
}
