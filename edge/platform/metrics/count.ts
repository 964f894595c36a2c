import { SECOND } from '../clock.ts'
import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'
import {
	buckets,
	type Counter,
	formatSeriesName,
	type Histogram,
	type Labels,
	type LabelValues,
} from './metric.ts'
import { findMetrics, hasMetrics } from './metrics-stub.ts'
import { type CountBatch, PendingCounts } from './pending-counts.ts'

/** The platform allows a request 30 seconds of work after its response. */
const COLLECTED_MS = 10 * SECOND

type Counting = Pick<Deps, 'env' | 'clock' | 'defer' | 'wait' | 'log'>

const pendingOf = new WeakMap<Env, PendingCounts>()

function pendingCounts(env: Env): PendingCounts {
	let pending = pendingOf.get(env)
	if (!pending) {
		pending = new PendingCounts(crypto.randomUUID())
		pendingOf.set(env, pending)
	}
	return pending
}

/** Increments a counter in memory. Ten seconds of counts are sent together, after a response. */
export function incrementCounter<const L extends Labels>(
	deps: Counting,
	counter: Counter<L>,
	labels: LabelValues<L>,
	amount = 1,
): void {
	if (!hasMetrics(deps.env)) return
	pendingCounts(deps.env).add(formatSeriesName(counter.name, labels as Record<string, string>), amount)
	sendSoon(deps)
}

/** Adds a duration to a histogram. */
export function observeSeconds<const L extends Labels>(
	deps: Counting,
	{ name }: Histogram<L>,
	labels: LabelValues<L>,
	seconds: number,
): void {
	if (!hasMetrics(deps.env)) return
	const own = labels as Record<string, string>
	const pending = pendingCounts(deps.env)
	for (const bound of buckets)
		pending.add(formatSeriesName(`${name}_bucket`, { ...own, le: String(bound) }), seconds <= bound ? 1 : 0)
	pending.add(formatSeriesName(`${name}_bucket`, { ...own, le: '+Inf' }), 1)
	pending.add(formatSeriesName(`${name}_sum`, own), seconds)
	pending.add(formatSeriesName(`${name}_count`, own), 1)
	sendSoon(deps)
}

function sendSoon(deps: Counting): void {
	if (pendingCounts(deps.env).becomeSender(deps.clock())) deps.defer(send(deps))
}

/**
 * Sends pending counts once. Counts made meanwhile are left to a later request, within the platform's time limit. An
 * undelivered batch is resent with the isolate's next counts.
 */
async function send({ env, wait, log }: Counting): Promise<void> {
	const pending = pendingCounts(env)
	const deliver = async (batch: CountBatch | null) => {
		if (!batch) return
		await findMetrics(env)?.add(batch)
		pending.arrived(batch)
	}
	try {
		await wait(COLLECTED_MS)
	} finally {
		pending.endTurn()
	}
	try {
		await deliver(pending.undelivered)
		await deliver(pending.next())
	} catch (error) {
		log.error('counts could not be sent to the metrics object', error)
	}
}
