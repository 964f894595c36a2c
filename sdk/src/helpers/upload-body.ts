import type { BodyWatch, UploadBody } from './upload-parts.ts'

/** Returns the part of a request that contains the body. */
export function composeBody(
	body: UploadBody,
	watch: BodyWatch,
): { body: BodyInit; headers: Record<string, string>; duplex?: 'half' } {
	if (body instanceof Blob) return { body: watchBlob(body, watch), headers: {} }
	return {
		body: watchStream(body.stream(), watch),
		headers: { 'content-length': String(body.size) },
		duplex: 'half',
	}
}

/**
 * Returns a Blob that counts its bytes as `fetch` reads them. A runtime that reads them in another way, such as Bun, sends
 * the same bytes uncounted.
 */
function watchBlob(blob: Blob, watch: BodyWatch): Blob {
	const watched = new Blob([blob])
	const stream = () => watchStream(blob.stream(), watch)
	return Object.defineProperty(watched, 'stream', { value: stream })
}

function watchStream(source: ReadableStream<Uint8Array>, watch: BodyWatch): ReadableStream<Uint8Array> {
	const reader = source.getReader()
	let sent = 0
	const read = async () => {
		try {
			const { done, value } = await reader.read()
			if (done) return undefined
			sent += value.length
			watch.onSent?.(sent)
			return value
		} catch (error) {
			watch.failure = error
			throw error
		}
	}
	return new ReadableStream(
		{
			async pull(controller) {
				const bytes = await read()
				if (bytes) controller.enqueue(bytes)
				else controller.close()
			},
			cancel: (reason) => reader.cancel(reason),
		},
		{ highWaterMark: 0 },
	)
}
