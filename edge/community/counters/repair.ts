import type { Deps } from '../../platform/deps.ts'
import { allCounters, counterStore } from './store.ts'

/**
 * Corrects counters that no longer match their rows, for example after a restore or a manual change. Normally, the batch
 * that changes rows also updates their counter. Each run checks a limited number of rows; concurrent runs only repeat work.
 */
export async function repairCounters({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
	const store = counterStore(db)
	for (const counter of allCounters) {
		const end = await store.findEnd(counter)
		if (end === null) await store.startOver(counter)
		else {
			const corrected = await store.repair(counter, end)
			if (corrected > 0) log.warn('corrected counters', { counter, corrected })
		}
	}
}
