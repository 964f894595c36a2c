import { SECOND } from '../platform/clock.ts'

/** How reading came to its end: the body did, its sender vanished, or somebody else takes over. */
export type BodyEnd = 'whole' | 'broken' | 'interrupted'

/** What the platform hands over at once; larger reads are no faster. */
const READ_BYTES = 512 * 1024

/** A sender that says nothing for so long has vanished: its buffers and its connection are given up. */
const STALL_MS = 60 * SECOND

/**
 * Reads a body into buffers that stay the caller's. A stream takes away the buffer it is asked to fill, and keeps it
 * when reading is given up; so it is given a small one, and nothing that arrived is ever lost.
 */
export function readBody(body: ReadableStream | null, signal?: AbortSignal, stallMs = STALL_MS) {
	const reader = body?.getReader({ mode: 'byob' })
	let scratch = new ArrayBuffer(READ_BYTES)
	let end: BodyEnd | null = reader ? null : 'whole'
	// Set anew for each read: a race against one promise would leave a listener behind with each.
	let giveUp: ((end: 'interrupted' | 'broken') => void) | undefined
	signal?.addEventListener('abort', () => giveUp?.('interrupted'))

	async function read(atMost: number): Promise<Uint8Array | null> {
		if (!reader || end) return null
		const view = new Uint8Array(scratch, 0, Math.min(READ_BYTES, atMost))
		const stopped = Promise.withResolvers<'interrupted' | 'broken'>()
		giveUp = stopped.resolve
		const timer = setTimeout(() => stopped.resolve('broken'), stallMs)
		if (signal?.aborted) giveUp('interrupted')
		const answer = await Promise.race([stopped.promise, reader.read(view).catch(() => 'broken' as const)])
		clearTimeout(timer)
		if (typeof answer === 'string') {
			end = answer
			return null
		}
		if (answer.value) scratch = answer.value.buffer as ArrayBuffer
		if (answer.done) end = 'whole'
		return answer.value ?? null
	}

	return {
		/** From `start` on, until `stop` or the end of the body. Answers where it got to, and the end if there it is. */
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
		/** What comes when no more is wanted: the end, or `null` for at least a byte too many. */
		async finish(): Promise<BodyEnd | null> {
			while (!end) if ((await read(1))?.byteLength) return null
			return end
		},
		/** The rest is not wanted. A body that broke off cannot be cancelled any more, which is as good. */
		async cancel(): Promise<void> {
			end ??= 'interrupted'
			await reader?.cancel().catch(() => undefined)
		},
	}
}
