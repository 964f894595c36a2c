import type { Deps } from '../../platform/deps.ts'
import { allCounters, counterStore } from './store.ts'

/**
 * Counters change in the batch of what they count, so none is ever wrong; should one be after all (a restore, rows
 * changed by hand), it is put right within a round. Each run looks at a bounded number of rows. Two at once do the
 * same work twice and no harm.
 */
export async function repairCounters({ db, log }: Pick<Deps, 'db' | 'log'>): Promise<void> {
	const store = counterStore(db)
	for (const counter of allCounters) {
		const end = await store.findEnd(counter)
		if (end === null) await store.startOver(counter)
		else {
			const wrong = await store.repair(counter, end)
			if (wrong > 0) log.warn('counters were wrong', { counter, wrong })
		}
	}
}
