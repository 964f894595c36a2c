/**
 * An LRU cache in the isolate's memory, limited by total weight. Only for immutable values, such as files that are
 * never overwritten.
 */
export class RecentValues<V> {
	/** Least recently used first. */
	private readonly kept = new Map<string, { value: V; weight: number }>()
	private weight = 0
	private readonly maxWeight: number

	constructor(maxWeight: number) {
		this.maxWeight = maxWeight
	}

	get(key: string): V | undefined {
		const found = this.kept.get(key)
		if (!found) return undefined
		this.kept.delete(key)
		this.kept.set(key, found)
		return found.value
	}

	/** Stores a value, unless it alone exceeds the limit. */
	set(key: string, value: V, weight: number): void {
		this.drop(key)
		if (weight > this.maxWeight) return
		this.kept.set(key, { value, weight })
		this.weight += weight
		for (const oldest of this.kept.keys()) {
			if (this.weight <= this.maxWeight) break
			this.drop(oldest)
		}
	}

	private drop(key: string): void {
		this.weight -= this.kept.get(key)?.weight ?? 0
		this.kept.delete(key)
	}
}
