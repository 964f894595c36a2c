import { requestIdOf } from '../http/headers.ts'

/** No more than a probe needs: each header is a part of what so small an answer costs. */
const headers = {
	'content-type': 'application/json',
	'access-control-allow-origin': '*',
	'cache-control': 'no-store',
	'x-content-type-options': 'nosniff',
}

/**
 * Whether the process answers, and nothing more: it stands before everything else, so it is true of a badly set-up
 * installation too, costs next to nothing, and fills no log however often it is asked.
 */
export const answerLive = (request: Request): Response =>
	new Response('{"ok":true}', { headers: { ...headers, 'x-request-id': requestIdOf(request.headers) } })
