import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { OUTPUT_PART_BYTES } from '#schema/contract/leases.ts'
import type { OutputAddresses } from './output-addresses.ts'
import { type Network, putObject } from './storage.ts'
import type { Outputs } from './tasks/task.ts'

const AT_ONCE = 6
const BYTES_IN_FLIGHT = 64 * 1024 ** 2
/** Parts on their way out of memory: two, and one that is being filled. */
const STREAMED_AT_ONCE = 2
const PARTS_AT_ONCE = 4

export type OutputsWorld = {
	addresses: OutputAddresses
	network: Network
	/** Throws when the lease is over. */
	check(): void
	signal: AbortSignal
}

type Part = { partNumber: number; etag: string }

/** Sends what a task makes, while it goes on making it. What fails makes the next call fail, and `settled`. */
export function createOutputs({ addresses, network, check, signal }: OutputsWorld): Outputs {
	const failed = new AbortController()
	const stop = AbortSignal.any([signal, failed.signal])
	const room = new Room(AT_ONCE, BYTES_IN_FLIGHT, stop)
	const sending = new Set<Promise<void>>()

	const start = (work: () => Promise<unknown>, bytes: number) => {
		const sent = work()
			.then(
				() => {},
				(error: unknown) => failed.abort(error),
			)
			.finally(() => {
				room.leave(bytes)
				sending.delete(sent)
			})
		sending.add(sent)
	}
	const send = (name: string, bytes: number, body: () => Uint8Array | ReturnType<typeof createReadStream>) =>
		putObject({ name, bytes, body, check, address: (again) => addresses.object(name, again) }, network, stop)
	const sendPart = (partNumber: number, bytes: number, body: Parameters<typeof send>[2]): Promise<Part> =>
		putObject(
			{
				name: `part ${partNumber}`,
				bytes,
				body,
				check,
				address: (again) => addresses.part(partNumber, again),
			},
			network,
			stop,
		).then((etag) => ({ partNumber, etag }))

	return {
		async put(name, bytes) {
			await room.enter(bytes.length)
			start(() => send(name, bytes.length, () => bytes), bytes.length)
		},

		async putFile(name, path) {
			const { size } = await stat(path)
			// On its way it takes a stream's buffer, however large it is.
			await room.enter(0)
			start(() => send(name, size, () => createReadStream(path)), 0)
			return { bytes: size }
		},

		async putInParts(path) {
			const { size } = await stat(path)
			const numbers = Array.from({ length: Math.ceil(size / OUTPUT_PART_BYTES) }, (_, index) => index + 1)
			const parts = await inTurn(numbers, PARTS_AT_ONCE, (partNumber) => {
				const from = (partNumber - 1) * OUTPUT_PART_BYTES
				const bytes = Math.min(OUTPUT_PART_BYTES, size - from)
				return sendPart(partNumber, bytes, () =>
					createReadStream(path, { start: from, end: from + bytes - 1, highWaterMark: 1024 ** 2 }),
				)
			})
			return { bytes: size, parts }
		},

		async putStream(chunks) {
			let bytes = 0
			const parts = await inTurn(inParts(chunks), STREAMED_AT_ONCE, ({ partNumber, content }) => {
				bytes += content.length
				return sendPart(partNumber, content.length, () => content)
			})
			return { bytes, parts }
		},

		async settled() {
			while (sending.size > 0) await Promise.all(sending)
			stop.throwIfAborted()
		},
	}
}

/** How much may be on its way at once. One that is larger than the room goes alone. */
class Room {
	readonly #maxCount: number
	readonly #maxBytes: number
	readonly #signal: AbortSignal
	#count = 0
	#bytes = 0
	readonly #waiting: (() => void)[] = []

	constructor(maxCount: number, maxBytes: number, signal: AbortSignal) {
		this.#maxCount = maxCount
		this.#maxBytes = maxBytes
		this.#signal = signal
		signal.addEventListener('abort', () => this.#wake(), { once: true })
	}

	/** Waits until there is room; throws when the signal came. */
	async enter(bytes: number): Promise<void> {
		while (!this.#signal.aborted && !this.#fits(bytes)) {
			const { promise, resolve } = Promise.withResolvers<void>()
			this.#waiting.push(resolve)
			await promise
		}
		this.#signal.throwIfAborted()
		this.#count++
		this.#bytes += bytes
	}

	leave(bytes: number): void {
		this.#count--
		this.#bytes -= bytes
		this.#wake()
	}

	#wake(): void {
		for (const resolve of this.#waiting.splice(0)) resolve()
	}

	#fits(bytes: number): boolean {
		if (this.#count === 0) return true
		return this.#count < this.#maxCount && this.#bytes + bytes <= this.#maxBytes
	}
}

/** Works on some at a time and answers in order. The first that fails ends it, and with it what is iterated. */
async function inTurn<T, R>(
	items: Iterable<T> | AsyncIterable<T>,
	atOnce: number,
	work: (item: T) => Promise<R>,
): Promise<R[]> {
	const results: Promise<R>[] = []
	const running = new Set<Promise<unknown>>()
	for await (const item of items) {
		const result = work(item)
		results.push(result)
		running.add(result)
		result.then(
			() => running.delete(result),
			() => {},
		)
		if (running.size >= atOnce) await Promise.race(running)
	}
	return Promise.all(results)
}

async function* inParts(
	chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ partNumber: number; content: Buffer }> {
	let partNumber = 1
	let buffer = Buffer.allocUnsafe(OUTPUT_PART_BYTES)
	let filled = 0
	for await (const chunk of chunks) {
		for (let from = 0; from < chunk.length; ) {
			const taken = Math.min(chunk.length - from, buffer.length - filled)
			buffer.set(chunk.subarray(from, from + taken), filled)
			from += taken
			filled += taken
			if (filled < buffer.length) continue
			yield { partNumber: partNumber++, content: buffer }
			buffer = Buffer.allocUnsafe(OUTPUT_PART_BYTES)
			filled = 0
		}
	}
	if (filled > 0) yield { partNumber, content: buffer.subarray(0, filled) }
}
