import { SECOND } from '../platform/clock.ts'

/** Why reading ended: the body was complete, the sender disconnected, or another request took over. */
export type BodyEnd = 'whole' | 'broken' | 'interrupted'

/** The platform returns at most this much per read; larger reads are no faster. */
const READ_BYTES = 512 * 1024

/** Time without data after which the sender counts as disconnected. Its buffers and connection are freed. */
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

	async function read(atMost: number): Promise<Uint8Array | null> {
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

	return {
		/** Fills the buffer from `start` to `stop`, or to the end of the body. Returns the position, and the end if reached. */
		async fill(
			buffer: Uint8Array,
			start: number,
			stop: number,
			onBytes?: (bytes: Uint8Array) => Promise<void>,
		): Promise<{ filled: number; end: BodyEnd | null }> {
			let filled = start
			while (filled < stop && !end) {
				const bytes = await read(stop - filled)
				if (!bytes || bytes.byteLength === 0) continue
				buffer.set(bytes, filled)
				await onBytes?.(bytes)
				filled += bytes.byteLength
			}
			return { filled, end }
		},
		/** Expects the end of the body. Returns it, or `null` if there is at least one more byte. */
		async finish(): Promise<BodyEnd | null> {
			while (!end) if ((await read(1))?.byteLength) return null
			return end
		},
		/** Discards the rest. Cancelling a body that broke off throws, which does no harm. */
		async cancel(): Promise<void> {
			end ??= 'interrupted'
			await reader?.cancel().catch(() => undefined)
		},
	}
}
