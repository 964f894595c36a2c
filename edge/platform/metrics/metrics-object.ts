import { DurableObject } from 'cloudflare:workers'
import type { Bindings } from '../env.ts'
import type { Samples } from './metric.ts'
import type { CountBatch } from './pending-counts.ts'

/** The latest rendered page, cached for a while. */
export type MetricsPage = { text: string; until: number }

type State = { counts: Samples; lastNumbers: Record<string, number> }

const MAX_SERIES = 5_000
/** Recent isolates. A batch repeated after a thousand other senders would count twice. */
const MAX_SOURCES = 1_000

/**
 * One object for the whole installation, since isolates share no memory. A batch is stored before it is acknowledged,
 * so a counter never decreases, which Prometheus would take for a restart.
 */
export class Metrics extends DurableObject<Bindings> {
	/** Adds an isolate's counts. Idempotent per batch. */
	add({ source, number, counts }: CountBatch): void {
		const state = this.#read()
		const { [source]: last = 0, ...others } = state.lastNumbers
		if (number <= last) return
		let series = Object.keys(state.counts).length
		for (const [name, amount] of Object.entries(counts)) {
			const before = state.counts[name]
			if (before === undefined && ++series > MAX_SERIES) continue
			state.counts[name] = (before ?? 0) + amount
		}
		const sources = [...Object.entries(others), [source, number] as const].slice(-MAX_SOURCES)
		this.ctx.storage.kv.put('state', { counts: state.counts, lastNumbers: Object.fromEntries(sources) })
	}

	counts(): Samples {
		return this.#read().counts
	}

	/** Returns the page of the last scrape, or null if it is too old. */
	page(now: number): string | null {
		const page = this.ctx.storage.kv.get<MetricsPage>('page')
		return page && page.until > now ? page.text : null
	}

	keepPage(page: MetricsPage): void {
		this.ctx.storage.kv.put('page', page)
	}

	/** Returns the latest stored totals, or null. */
	totals<T>(): T | null {
		return this.ctx.storage.kv.get<T>('totals') ?? null
	}

	keepTotals(totals: unknown): void {
		this.ctx.storage.kv.put('totals', totals)
	}

	#read(): State {
		return this.ctx.storage.kv.get<State>('state') ?? { counts: {}, lastNumbers: {} }
	}
}
