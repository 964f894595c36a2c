/**
 * Returns a `fetch` that reports how many bytes of the file have been read for the request, as `fetch` itself reports
 * nothing before the response. `check` runs before a request, and after one that failed.
 */
export function measuredFetch(check: () => Promise<void>, onSent: (sent: number) => void): typeof fetch {
	return async (input, init = {}) => {
		const { body } = init
		await check()
		if (!(body instanceof Blob)) return await fetch(input, init)
		const headers = new Headers(init.headers)
		let sent = Number(headers.get('upload-offset') ?? 0)
		// The length of a stream is unknown, and the server needs it.
		headers.set('content-length', String(body.size))
		const counter = new TransformStream<Uint8Array, Uint8Array>({
			transform(chunk, controller) {
				controller.enqueue(chunk)
				sent += chunk.length
				onSent(sent)
			},
		})
		const stream = body.stream().pipeThrough(counter as never)
		try {
			return await fetch(input, { ...init, headers, body: stream, duplex: 'half' } as RequestInit)
		} catch (error) {
			// A file that was shortened can't be read as far as promised.
			await check()
			throw error
		}
	}
}
