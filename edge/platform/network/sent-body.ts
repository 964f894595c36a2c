type WatchedResponse = { response: Response; isSent: Promise<boolean> }

/**
 * Returns the same response, and whether the client takes its whole body; a client that leaves before does not. Both
 * streams are those of the runtime, which passes the bytes on without running a script.
 */
export function watchBody(response: Response): WatchedResponse {
	const length = response.headers.get('content-length')
	if (response.body === null || length === null) return { response, isSent: Promise.resolve(true) }
	const { readable, writable } = new FixedLengthStream(Number(length))
	const isSent = response.body.pipeTo(writable).then(
		() => true,
		() => false,
	)
	return { response: new Response(readable, response), isSent }
}
