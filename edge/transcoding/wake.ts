import type { Deps } from '../platform/deps.ts'
import { findFleet } from './fleet-door.ts'

/** Only a hint: machines that it does not reach come by themselves. */
export async function wakeFleet({ env, log }: Pick<Deps, 'env' | 'log'>): Promise<void> {
	try {
		await findFleet(env)?.wake()
	} catch (error) {
		log.error('the fleet could not be woken', error)
	}
}
