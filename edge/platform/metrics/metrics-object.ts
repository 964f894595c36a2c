import { DurableObject } from 'cloudflare:workers'
import type { Bindings } from '../env.ts'
import type { Samples } from './metric.ts'
import type { CountBatch } from './pending-counts.ts'

/** The page of the last scrape, which others get for a while. */
export type MetricsPage = { text: string; until: number }

type State = { counts: Samples; lastNumbers: Record<string, number> }

const MAX_SERIES = 5_000
/** Isolates that sent lately. A batch that is repeated later than a thousand other isolates sent would count twice. */
const MAX_SOURCES = 1_000

/**
 * One object for the whole installation, since isolates share no memory. Every batch is stored before its sender knows
 * that it arrived, so a counter never goes back: Prometheus would take that for a restart.
 */
export class Metrics extends DurableObject<Bindings> {
	/** Adds what an isolate has counted. A repeated batch changes nothing. */
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

	/** Returns the totals that were stored last, or null. */
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
