/**
 * Keeps the values that were used last, in the memory of the isolate, up to a total weight. Only for values that belong to
 * their key for ever, such as the content of a file that is never overwritten.
 */
export class RecentValues<V> {
	/** From the value that was used longest ago to the newest one. */
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

	/** Keeps a value, unless it alone is too heavy. */
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
