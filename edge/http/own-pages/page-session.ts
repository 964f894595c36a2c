import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Authenticators } from '../caller.ts'
import { AppError, errorResponse } from '../errors.ts'
import {
	clearCookie,
	isFromPageScript,
	readCookieToken,
	type SessionKind,
	setCookie,
} from './session-cookie.ts'

type Served = { op: Operation; deps: Deps; authenticators: Authenticators }

/** Completes a response to a page of the installation: sets or renews the cookie, and keeps shared caches out. */
export async function completeForPage(
	{ op, deps, authenticators }: Served,
	request: Request,
	response: Response,
): Promise<Response> {
	if (op.signsIn && response.ok && isFromPageScript(request)) return moveTokenToCookie(response, op.signsIn)
	const cookie = readCookieToken(op, request)
	if (!cookie) return response
	const headers = new Headers(response.headers)
	headers.set('cache-control', privateCaching(headers.get('cache-control')))
	// A response that ends the session clears the cookie.
	if (cookie.kind === 'session' && !headers.has('set-cookie')) {
		const token = await authenticators.renew(deps, cookie.token)
		if (token !== null) setCookie(headers, 'session', token)
	}
	return new Response(response.body, { status: response.status, headers })
}

/** Returns the 401 for a cookie whose session has ended, and clears the cookie. Rethrows every other error. */
export function refuseCookie(op: Operation, request: Request, error: unknown): Response {
	const cookie = readCookieToken(op, request)
	if (!cookie || !(error instanceof AppError) || error.code !== 'unauthorized') throw error
	const response = errorResponse(error, new URL(request.url).pathname)
	clearCookie(response.headers, cookie.kind)
	return response
}

/** Runs after `answerIdempotently`, so that a replayed response sets the cookie again. */
async function moveTokenToCookie(response: Response, kind: SessionKind): Promise<Response> {
	const { data } = (await response.json()) as { data: { token: string } }
	const headers = new Headers(response.headers)
	setCookie(headers, kind, data.token)
	headers.delete('content-length')
	return Response.json({ data: { ...data, token: '' } }, { status: response.status, headers })
}

/** Immutable files may stay in the browser's cache. */
const privateCaching = (value: string | null): string =>
	value?.includes('immutable') ? value.replace('public', 'private') : 'private, no-store'
