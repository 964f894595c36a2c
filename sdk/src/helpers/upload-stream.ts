import { CanceledError, UnreadableSourceError } from '../errors.ts'
import type { OpenSource } from './upload-parts.ts'

/** A chunk of a stream is kept in memory until the server has stored the chunk, so this is less than for files. */
const CHUNK_BYTES = 8 * 1024 ** 2

/** Opens a stream for an upload. A continued upload needs the stream from its start: stored bytes are skipped. */
export function openStream(
	stream: ReadableStream<Uint8Array>,
	{ size, signal }: { size?: number; signal?: AbortSignal },
): OpenSource {
	if (!Number.isSafeInteger(size) || size === undefined)
		throw new TypeError('the size of the stream is missing; pass its number of bytes as size')
	const reader = stream.getReader()
	const stop = () => void reader.cancel(signal?.reason).catch(() => {})
	signal?.addEventListener('abort', stop)
	let rest: Uint8Array = new Uint8Array()
	let position = 0
	let kept = { start: 0, blob: new Blob() }

	/** Returns the next bytes of the stream: at most `bytes`, and none at its end. */
	const next = async (bytes: number): Promise<Uint8Array> => {
		while (rest.length === 0) {
			const { done, value } = await reader.read()
			if (signal?.aborted) throw new CanceledError('the signal ended the upload', { cause: signal.reason })
			if (done) return new Uint8Array()
			rest = value
		}
		const taken = rest.subarray(0, bytes)
		rest = rest.subarray(taken.length)
		position += taken.length
		return taken
	}
	const demand = async (bytes: number): Promise<Uint8Array> => {
		const taken = await next(bytes)
		if (taken.length > 0) return taken
		throw new UnreadableSourceError(
			`the stream ended after ${position} of ${size} bytes; pass the exact size of the stream`,
		)
	}
	return {
		size,
		canRepeat: false,
		chunkBytes: CHUNK_BYTES,
		async read(start, end) {
			if (start < kept.start)
				throw new UnreadableSourceError(
					'the server lost bytes that the stream can no longer provide; start again with a new stream',
				)
			if (start < position && start < kept.start + kept.blob.size) return kept.blob.slice(start - kept.start)
			while (position < start) await demand(start - position)
			const parts: Uint8Array<ArrayBuffer>[] = []
			while (position < end) parts.push((await demand(end - position)) as Uint8Array<ArrayBuffer>)
			kept = { start, blob: new Blob(parts) }
			if (end === size && (await next(1)).length > 0)
				throw new UnreadableSourceError(
					`the stream has more than ${size} bytes; pass the exact size of the stream`,
				)
			return kept.blob
		},
		async close() {
			signal?.removeEventListener('abort', stop)
			stop()
		},
	}
}
