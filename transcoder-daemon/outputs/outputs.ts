import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { OUTPUT_PART_BYTES } from '#schema/contract/video/leases.ts'
import type { Outputs } from '../tasks/task.ts'
import type { OutputAddresses } from './output-addresses.ts'
import { type Network, putObject } from './storage.ts'

const MAX_UPLOADS = 6
const MAX_BYTES_IN_FLIGHT = 64 * 1024 ** 2
/** Parts in memory: two being sent, and one being filled. */
const MAX_STREAMED_PARTS = 2
const MAX_FILE_PARTS = 4

export type OutputsDeps = {
	addresses: OutputAddresses
	network: Network
	/** Throws when the lease has ended. */
	check(): void
	signal: AbortSignal
}

type Part = { partNumber: number; etag: string }

/** Uploads a task's outputs while the task continues. A failed upload rejects the next call and `flush`. */
export function createOutputs({ addresses, network, check, signal }: OutputsDeps): Outputs {
	const failed = new AbortController()
	const stop = AbortSignal.any([signal, failed.signal])
	const limit = new UploadLimit(MAX_UPLOADS, MAX_BYTES_IN_FLIGHT, stop)
	const sending = new Set<Promise<void>>()

	const start = (work: () => Promise<unknown>, bytes: number) => {
		const sent = work()
			.then(
				() => {},
				(error: unknown) => failed.abort(error),
			)
			.finally(() => {
				limit.release(bytes)
				sending.delete(sent)
			})
		sending.add(sent)
	}
	const send = (name: string, bytes: number, body: () => Uint8Array | ReturnType<typeof createReadStream>) =>
		putObject(
			{ name, bytes, body, check, address: (isRefresh) => addresses.object(name, isRefresh) },
			network,
			stop,
		)
	const sendPart = (partNumber: number, bytes: number, body: Parameters<typeof send>[2]): Promise<Part> =>
		putObject(
			{
				name: `part ${partNumber}`,
				bytes,
				body,
				check,
				address: (isRefresh) => addresses.part(partNumber, isRefresh),
			},
			network,
			stop,
		).then((etag) => ({ partNumber, etag }))

	return {
		async put(name, bytes) {
			await limit.acquire(bytes.length)
			start(() => send(name, bytes.length, () => bytes), bytes.length)
		},

		async putFile(name, path) {
			const { size } = await stat(path)
			// A file being uploaded occupies only a stream buffer, whatever its size.
			await limit.acquire(0)
			start(() => send(name, size, () => createReadStream(path)), 0)
			return { bytes: size }
		},

		async putInParts(path) {
			const { size } = await stat(path)
			const numbers = Array.from({ length: Math.ceil(size / OUTPUT_PART_BYTES) }, (_, index) => index + 1)
			const parts = await mapConcurrently(numbers, MAX_FILE_PARTS, (partNumber) => {
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
			const parts = await mapConcurrently(
				splitIntoParts(chunks),
				MAX_STREAMED_PARTS,
				({ partNumber, content }) => {
					bytes += content.length
					return sendPart(partNumber, content.length, () => content)
				},
			)
			return { bytes, parts }
		},

		async flush() {
			while (sending.size > 0) await Promise.all(sending)
			stop.throwIfAborted()
		},
	}
}

/** Limits uploads in flight, by count and bytes. An upload larger than the limit runs alone. */
class UploadLimit {
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

	/** Waits for capacity; throws when the signal is aborted. */
	async acquire(bytes: number): Promise<void> {
		while (!this.#signal.aborted && !this.#fits(bytes)) {
			const { promise, resolve } = Promise.withResolvers<void>()
			this.#waiting.push(resolve)
			await promise
		}
		this.#signal.throwIfAborted()
		this.#count++
		this.#bytes += bytes
	}

	release(bytes: number): void {
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

/** Maps items with limited concurrency and returns results in order. The first error rejects and ends the iteration. */
async function mapConcurrently<T, R>(
	items: Iterable<T> | AsyncIterable<T>,
	concurrency: number,
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
		if (running.size >= concurrency) await Promise.race(running)
	}
	return Promise.all(results)
}

async function* splitIntoParts(
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
