import { SECOND } from '../../platform/clock.ts'

/** Why reading ended: the body was complete, the sender disconnected, or another request took over. */
export type BodyEnd = 'whole' | 'broken' | 'interrupted'

export type BodyReader = ReturnType<typeof readBody>

/** The platform returns at most this much per read; larger reads are no faster. */
const READ_BYTES = 512 * 1024

/** After this time without data, the sender counts as disconnected, and its buffers are freed. */
const STALL_MS = 60 * SECOND

/**
 * Reads a body into buffers that the caller owns. A BYOB stream detaches the buffer it fills, and keeps it when reading
 * is cancelled. Reads therefore go through a small scratch buffer, so no received byte is lost.
 */
export function readBody(body: ReadableStream | null, signal?: AbortSignal, stallMs = STALL_MS) {
	const reader = body?.getReader({ mode: 'byob' })
	let scratch = new ArrayBuffer(READ_BYTES)
	let end: BodyEnd | null = reader ? null : 'whole'
	// Set for each read: racing one long-lived promise would add a listener with every read.
	let stop: ((end: 'interrupted' | 'broken') => void) | undefined
	signal?.addEventListener('abort', () => stop?.('interrupted'))
	/** Peeked bytes that are not read yet. */
	let ahead = new Uint8Array()

	async function read(atMost: number): Promise<Uint8Array | null> {
		if (ahead.byteLength === 0) return readNew(atMost)
		const bytes = ahead.subarray(0, atMost)
		ahead = ahead.subarray(bytes.byteLength)
		return bytes
	}

	async function readNew(atMost: number): Promise<Uint8Array | null> {
		if (!reader || end) return null
		const view = new Uint8Array(scratch, 0, Math.min(READ_BYTES, atMost))
		const stopped = Promise.withResolvers<'interrupted' | 'broken'>()
		stop = stopped.resolve
		const timer = setTimeout(() => stopped.resolve('broken'), stallMs)
		if (signal?.aborted) stop('interrupted')
		const result = await Promise.race([stopped.promise, reader.read(view).catch(() => 'broken' as const)])
		clearTimeout(timer)
		if (typeof result === 'string') {
			end = result
			return null
		}
		if (result.value) scratch = result.value.buffer as ArrayBuffer
		if (result.done) end = 'whole'
		return result.value ?? null
	}

	const isOver = () => end !== null && ahead.byteLength === 0

	return {
		/** Returns the first bytes, which later reads return again. Fewer than `length` if the body ends before. */
		async peek(length: number): Promise<Uint8Array<ArrayBuffer>> {
			const first = new Uint8Array(length)
			let filled = 0
			while (filled < length && !end) {
				const bytes = await readNew(length - filled)
				if (!bytes) continue
				first.set(bytes, filled)
				filled += bytes.byteLength
			}
			ahead = first.subarray(0, filled)
			return ahead
		},
		/** Reads bytes and drops them. */
		async skip(length: number): Promise<void> {
			let left = length
			while (left > 0 && !isOver()) left -= (await read(left))?.byteLength ?? 0
		},
		/** Fills the buffer from `start` to `stop`, or to the end of the body. Returns the position, and the end if reached. */
		async fill(
			buffer: Uint8Array,
			start: number,
			stop: number,
			onBytes?: (bytes: Uint8Array) => Promise<void>,
		): Promise<{ filled: number; end: BodyEnd | null }> {
			let filled = start
			while (filled < stop && !isOver()) {
				const bytes = await read(stop - filled)
				if (!bytes || bytes.byteLength === 0) continue
				buffer.set(bytes, filled)
				await onBytes?.(bytes)
				filled += bytes.byteLength
			}
			return { filled, end: isOver() ? end : null }
		},
		/** Expects the end of the body. Returns it, or `null` if there is at least one more byte. */
		async finish(): Promise<BodyEnd | null> {
			while (!isOver()) if ((await read(1))?.byteLength) return null
			return end
		},
		/** Discards the rest. Cancelling a broken body throws, which is harmless. */
		async cancel(): Promise<void> {
			end ??= 'interrupted'
			await reader?.cancel().catch(() => undefined)
		},
	}
}
