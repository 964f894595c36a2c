import type { Operation } from '#schema/contract/kit/operation.ts'
import type { Deps } from '../../platform/deps.ts'
import type { Authenticators } from '../caller.ts'
import { readCredential } from '../credential.ts'
import { AppError } from '../errors.ts'
import {
	clearCookie,
	isFromPageScript,
	readCookieToken,
	sendsCookie,
	setCookie,
	setsCookie,
} from './session-cookie.ts'

/**
 * Reads the cookie of a request from one of our pages into `deps.cookie`. A token in its last hours is renewed, and so is an
 * expired one while its session lasts: a page that was closed for days stays signed in.
 */
export async function openPageSession(
	op: Operation,
	deps: Deps,
	authenticators: Authenticators,
	request: Request,
): Promise<void> {
	const cookie = readCookieToken(op, request)
	if (!cookie) return
	if (readCredential(request.headers))
		throw new AppError(
			'bad_credentials_mix',
			'the request has the cookie of a session and another credential; send one',
		)
	// The operation that renews a token detects the reuse of an old one.
	const mayRenew = cookie.kind === 'session' && op.auth !== 'renewal'
	const renewed = mayRenew ? await authenticators.renew(deps, cookie.token) : null
	deps.cookie = {
		kind: cookie.kind,
		token: renewed ?? cookie.token,
		isRenewed: renewed !== null,
		hasEnded: false,
	}
}

/** Records that the session of the cookie has ended if this error of the admission says so. */
export function recordEndOfCookie({ cookie }: Deps, error: unknown): void {
	if (cookie && error instanceof AppError) cookie.hasEnded = error.code === 'unauthorized'
}

/** Moves the token that a page has received by a sign-in into its cookie. */
export async function completeSignIn(op: Operation, request: Request, response: Response): Promise<Response> {
	if (!op.signsIn || !response.ok || !isFromPageScript(request)) return response
	const { data } = (await response.json()) as { data: { token: string } }
	const headers = new Headers(response.headers)
	setCookie(headers, op.signsIn, data.token)
	// The cookie of an impersonation takes precedence, so the person would go on as somebody else.
	if (op.signsIn === 'session' && sendsCookie(request, 'impersonation')) clearCookie(headers, 'impersonation')
	headers.delete('content-length')
	return Response.json({ data: { ...data, token: '' } }, { status: response.status, headers })
}

/** Completes every response to a cookie, errors included: sets a renewed one, clears an ended one, keeps shared caches out. */
export function addPageHeaders(headers: Headers, { cookie }: Deps): void {
	if (!cookie) return
	headers.set('cache-control', privateCaching(headers.get('cache-control')))
	if (cookie.hasEnded) clearCookie(headers, cookie.kind)
	else if (cookie.isRenewed && !setsCookie(headers, cookie.kind))
		setCookie(headers, cookie.kind, cookie.token)
}

/** Immutable files may stay in the browser's cache. */
const privateCaching = (value: string | null): string =>
	value?.includes('immutable') ? value.replace('public', 'private') : 'private, no-store'
