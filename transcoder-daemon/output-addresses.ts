import type { Client } from '#schema/contract/client.ts'
import { presignOutputs, presignParts } from '#schema/contract/leases.ts'
import type { Lease } from './lease.ts'

export type Address = { url: string; headers: Record<string, string> }

/** As many as the edge takes in one call. */
const NAMES = 250
const PARTS = 32
/** Valid for an hour, and an upload may take a while. */
const FRESH_MS = 45 * 60_000
/** Names that come about together are asked for together. */
const GATHER_MS = 5

type Batch<K> = { wanted: Set<K>; done: Promise<Map<K, Address>> }

/** Addresses are asked for in batches: those that are wanted now, and with them those that will be next. */
class AddressBook<K> {
	readonly #known = new Map<K, { address: Address; until: number }>()
	readonly #ask: (keys: K[]) => Promise<Address[]>
	readonly #ahead: (wanted: ReadonlySet<K>) => Iterable<K>
	readonly #limit: number
	readonly #clock: () => number
	#batch: Batch<K> | null = null

	constructor(
		limit: number,
		clock: () => number,
		ask: (keys: K[]) => Promise<Address[]>,
		ahead: (wanted: ReadonlySet<K>) => Iterable<K>,
	) {
		this.#limit = limit
		this.#clock = clock
		this.#ask = ask
		this.#ahead = ahead
	}

	async find(key: K, again: boolean): Promise<Address> {
		if (again) this.#known.delete(key)
		if (this.#isKnown(key)) return this.#take(key)
		if (!this.#batch || this.#batch.wanted.size >= this.#limit) this.#batch = this.#open()
		this.#batch.wanted.add(key)
		const address = (await this.#batch.done).get(key)
		if (!address) throw new Error('the edge gave no address')
		return address
	}

	#open(): Batch<K> {
		const wanted = new Set<K>()
		const gathered = new Promise((done) => setTimeout(done, GATHER_MS))
		const batch: Batch<K> = { wanted, done: gathered.then(() => this.#fill(batch)) }
		return batch
	}

	async #fill(batch: Batch<K>): Promise<Map<K, Address>> {
		if (this.#batch === batch) this.#batch = null
		const keys = [...batch.wanted]
		for (const key of this.#ahead(batch.wanted)) {
			if (keys.length >= this.#limit) break
			if (!batch.wanted.has(key) && !this.#isKnown(key)) keys.push(key)
		}
		const addresses = await this.#ask(keys)
		const until = this.#clock() + FRESH_MS
		for (const [index, address] of addresses.entries()) this.#known.set(keys[index] as K, { address, until })
		return new Map(keys.map((key, index) => [key, addresses[index] as Address]))
	}

	#isKnown(key: K): boolean {
		return (this.#known.get(key)?.until ?? 0) > this.#clock()
	}

	#take(key: K): Address {
		const known = this.#known.get(key)
		if (!known) throw new Error('unknown')
		return known.address
	}
}

export type OutputAddresses = {
	object(name: string, again: boolean): Promise<Address>
	part(partNumber: number, again: boolean): Promise<Address>
}

/** `expected`: the names a task will use, in the order in which it will. */
export function outputAddresses(
	lease: Lease,
	client: Client<AbortSignal>,
	expected: readonly string[],
	clock: () => number,
	signal: AbortSignal,
): OutputAddresses {
	const { id: taskId, epoch } = lease.task
	const params = { taskId }
	const objects = new AddressBook<string>(
		NAMES,
		clock,
		async (names) => {
			const input = { params, body: { epoch, names } }
			return (await lease.ask((options) => client.call(presignOutputs, input, options), signal)).data.outputs
		},
		(wanted) => after(expected, wanted),
	)
	const parts = new AddressBook<number>(
		PARTS,
		clock,
		async (partNumbers) => {
			const input = { params, body: { epoch, partNumbers } }
			const { data } = await lease.ask((options) => client.call(presignParts, input, options), signal)
			return data.urls.map((url) => ({ url, headers: {} }))
		},
		() => [],
	)
	return {
		object: (name, again) => objects.find(name, again),
		part: (partNumber, again) => parts.find(partNumber, again),
	}
}

/** What is expected behind the first of those that are wanted. */
function after(expected: readonly string[], wanted: ReadonlySet<string>): readonly string[] {
	const first = expected.findIndex((name) => wanted.has(name))
	return first < 0 ? [] : expected.slice(first)
}
