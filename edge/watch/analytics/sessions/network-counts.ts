import { HOUR } from '../../../platform/clock.ts'
import type { Shard } from './shards/shards.ts'

/** The reports that one address may send a minute, so more viewers can hardly share it. */
const MAX_SESSIONS = 300
/** The minimum for each object, however many share the video. */
const MIN_SESSIONS = 30
/** How often the count of a network is written, so that a view costs no row. */
const WRITTEN_EVERY = 25
/** Some megabytes of memory. */
const MAX_NETWORKS = 50_000
const KEY = 'networks'

type Written = { hour: number; counts: Record<string, number> }

/** Returns how many sessions of one network count in an hour and an object. Sessions are split evenly over objects. */
const limitOf = ({ level }: Shard): number => Math.max(MIN_SESSIONS, MAX_SESSIONS / 2 ** level)

/**
 * How many sessions of this hour began in each network. After a crash, the counts are those of the last multiple of 25.
 * Networks are keyed hashes. They are deleted with the first session of a later hour.
 */
export class NetworkCounts {
	readonly #kv: SyncKvStorage
	#hour: number
	#counts: Map<string, number>

	constructor(kv: SyncKvStorage) {
		this.#kv = kv
		const { hour, counts } = kv.get<Written>(KEY) ?? { hour: 0, counts: {} }
		this.#hour = hour
		this.#counts = new Map(Object.entries(counts))
	}

	/** Counts a session that begins. Returns whether it is one of those that count for its network. */
	add(network: string, shard: Shard, now: number): boolean {
		const hour = Math.floor(now / HOUR)
		if (hour !== this.#hour) this.#begin(hour)
		const count = (this.#counts.get(network) ?? 0) + 1
		const limit = limitOf(shard)
		if (count > limit) return false
		this.#counts.set(network, count)
		if (count % WRITTEN_EVERY === 0) this.#write()
		if (this.#counts.size > MAX_NETWORKS) this.#counts = new Map(this.#many())
		return true
	}

	#begin(hour: number): void {
		if (this.#many().length > 0) this.#kv.delete(KEY)
		this.#hour = hour
		this.#counts.clear()
	}

	#write(): void {
		this.#kv.put<Written>(KEY, { hour: this.#hour, counts: Object.fromEntries(this.#many()) })
	}

	#many(): [string, number][] {
		return [...this.#counts].filter(([, count]) => count >= WRITTEN_EVERY)
	}
}
