import type { Client } from '#schema/contract/kit/client.ts'
import { presignOutputs, presignParts } from '#schema/contract/video/leases.ts'
import type { Lease } from '../edge/lease.ts'

export type Address = { url: string; headers: Record<string, string> }

/** Limits of the edge for one call. */
const NAMES_PER_CALL = 250
const PARTS_PER_CALL = 32
/** Addresses are valid for an hour, and an upload may take a while. */
const FRESH_MS = 45 * 60_000
/** How long a batch waits for further names. */
const BATCH_DELAY_MS = 5

type AddressBatch<K> = { requested: Set<K>; done: Promise<Map<K, Address>> }

/** Requests addresses in batches: those needed now, filled up with those needed next. */
class AddressBatcher<K> {
	readonly #cache = new Map<K, { address: Address; until: number }>()
	readonly #request: (keys: K[]) => Promise<Address[]>
	readonly #prefetch: (requested: ReadonlySet<K>) => Iterable<K>
	readonly #limit: number
	readonly #clock: () => number
	#batch: AddressBatch<K> | null = null

	constructor(
		limit: number,
		clock: () => number,
		request: (keys: K[]) => Promise<Address[]>,
		prefetch: (requested: ReadonlySet<K>) => Iterable<K>,
	) {
		this.#limit = limit
		this.#clock = clock
		this.#request = request
		this.#prefetch = prefetch
	}

	async find(key: K, isRefresh: boolean): Promise<Address> {
		if (isRefresh) this.#cache.delete(key)
		if (this.#isFresh(key)) return this.#take(key)
		if (!this.#batch || this.#batch.requested.size >= this.#limit) this.#batch = this.#openBatch()
		this.#batch.requested.add(key)
		const address = (await this.#batch.done).get(key)
		if (!address) throw new Error('the edge returned no address')
		return address
	}

	#openBatch(): AddressBatch<K> {
		const requested = new Set<K>()
		const delay = new Promise((done) => setTimeout(done, BATCH_DELAY_MS))
		const batch: AddressBatch<K> = { requested, done: delay.then(() => this.#requestBatch(batch)) }
		return batch
	}

	async #requestBatch(batch: AddressBatch<K>): Promise<Map<K, Address>> {
		if (this.#batch === batch) this.#batch = null
		const keys = [...batch.requested]
		for (const key of this.#prefetch(batch.requested)) {
			if (keys.length >= this.#limit) break
			if (!batch.requested.has(key) && !this.#isFresh(key)) keys.push(key)
		}
		const addresses = await this.#request(keys)
		const until = this.#clock() + FRESH_MS
		for (const [index, address] of addresses.entries()) this.#cache.set(keys[index] as K, { address, until })
		return new Map(keys.map((key, index) => [key, addresses[index] as Address]))
	}

	#isFresh(key: K): boolean {
		return (this.#cache.get(key)?.until ?? 0) > this.#clock()
	}

	#take(key: K): Address {
		const entry = this.#cache.get(key)
		if (!entry) throw new Error('no address is cached for this key')
		return entry.address
	}
}

export type OutputAddresses = {
	object(name: string, isRefresh: boolean): Promise<Address>
	part(partNumber: number, isRefresh: boolean): Promise<Address>
}

/** Requests presigned addresses for a task. `expected` are the names that the task will use, in order. */
export function outputAddresses(
	lease: Lease,
	client: Client<AbortSignal>,
	expected: readonly string[],
	clock: () => number,
	signal: AbortSignal,
): OutputAddresses {
	const { id: taskId, epoch } = lease.task
	const params = { taskId }
	const objects = new AddressBatcher<string>(
		NAMES_PER_CALL,
		clock,
		async (names) => {
			const input = { params, body: { epoch, names } }
			return (await lease.callEdge((options) => client.call(presignOutputs, input, options), signal)).data
				.outputs
		},
		(requested) => expectedFrom(expected, requested),
	)
	const parts = new AddressBatcher<number>(
		PARTS_PER_CALL,
		clock,
		async (partNumbers) => {
			const input = { params, body: { epoch, partNumbers } }
			const { data } = await lease.callEdge((options) => client.call(presignParts, input, options), signal)
			return data.urls.map((url) => ({ url, headers: {} }))
		},
		() => [],
	)
	return {
		object: (name, isRefresh) => objects.find(name, isRefresh),
		part: (partNumber, isRefresh) => parts.find(partNumber, isRefresh),
	}
}

/** Returns the expected names from the first requested one on. */
function expectedFrom(expected: readonly string[], requested: ReadonlySet<string>): readonly string[] {
	const first = expected.findIndex((name) => requested.has(name))
	return first < 0 ? [] : expected.slice(first)
}
