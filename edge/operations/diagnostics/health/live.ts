import { readRequestId } from '../../../http/headers.ts'

/** Only the headers a probe needs, since headers are most of the cost of such a small response. */
const headers = {
	'content-type': 'application/json',
	'access-control-allow-origin': '*',
	'cache-control': 'no-store',
	'x-content-type-options': 'nosniff',
}

/**
 * Reports that the process is running. It is handled before everything else, so it works without valid configuration,
 * costs almost nothing, and writes no log line.
 */
export const answerLive = (request: Request): Response =>
	new Response('{"ok":true}', { headers: { ...headers, 'x-request-id': readRequestId(request.headers) } })
