/** Returns a response with server-sent events that no proxy keeps or collects. */
export const eventStreamResponse = (body: ReadableStream<Uint8Array> | null): Response =>
	new Response(body, {
		headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
	})
