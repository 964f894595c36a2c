import type { Auth, Operation } from '#schema/contract/kit/operation.ts'
import { MAX_IMPERSONATION_MINUTES } from '#schema/contract/operations/admin/impersonation.ts'
import { DAY, MINUTE, SECOND } from '../../platform/clock.ts'
import { readCookie } from '../headers.ts'

/** Sent by scripts of our own pages. A custom header requires a preflight, which CORS refuses for every other origin. */
const PAGE_HEADER = 'x-playhouse-page'

/** Holds the token of a session or of an impersonation. If the browser sends both, the impersonation takes precedence. */
const cookieNames = { session: '__Host-session', impersonation: '__Host-acting' } as const
export type SessionKind = keyof typeof cookieNames

/** The maximum lifetimes of the two cookies. The server ends sessions by its own rules. */
const maxAges = { session: 90 * DAY, impersonation: MAX_IMPERSONATION_MINUTES * MINUTE }

/** The auth types of operations that people call. Cookies are accepted for these only. */
const peoplesAuth: ReadonlySet<Auth> = new Set([
	'viewer',
	'session',
	'unverified-session',
	'renewal',
	'read',
	'write',
	'admin',
	'org-admin-person',
	'superadmin',
	'member',
])

/**
 * Whether a page of the installation itself sent the request. `SameSite=Strict` is not enough: browsers send such cookies
 * from other ports of the same host, and from sibling hosts.
 */
function isFromOwnPage({ headers, url }: Request): boolean {
	const site = headers.get('sec-fetch-site')
	return site === null ? headers.get('origin') === new URL(url).origin : site === 'same-origin'
}

/** Whether a script of our own pages sent the request. A sign-in by such a script sets a cookie. */
export const isFromPageScript = (request: Request): boolean =>
	request.headers.get(PAGE_HEADER) === '1' && isFromOwnPage(request)

/** Returns the token in the cookies of a request, if a page of the installation may use it for the operation. */
export function readCookieToken(
	op: Operation,
	request: Request,
): { kind: SessionKind; token: string } | null {
	if (!peoplesAuth.has(op.auth)) return null
	const isRead = request.method === 'GET' || request.method === 'HEAD'
	// Media elements and downloads can't send a custom header, so reads need none. Reads change nothing.
	if (isRead ? !isFromOwnPage(request) : !isFromPageScript(request)) return null
	for (const kind of ['impersonation', 'session'] as const) {
		const token = findCookie(request, kind)
		if (token) return { kind, token }
	}
	return null
}

const findCookie = ({ headers }: Request, kind: SessionKind): string | undefined =>
	readCookie(headers, cookieNames[kind])

export const sendsCookie = (request: Request, kind: SessionKind): boolean =>
	Boolean(findCookie(request, kind))

/** Whether a response sets or clears the cookie. */
export const setsCookie = (headers: Headers, kind: SessionKind): boolean =>
	headers.getSetCookie().some((line) => line.startsWith(`${cookieNames[kind]}=`))

/** Says to scripts that there may be a session, so that pages don't ask in vain. Grants nothing. */
const HINT_NAME = '__Host-signed-in'

export function setCookie(
	headers: Headers,
	kind: SessionKind,
	token: string,
	maxAgeMs = maxAges[kind],
): void {
	const attributes = `Path=/; Max-Age=${maxAgeMs / SECOND}; Secure; SameSite=Strict`
	headers.append('set-cookie', `${cookieNames[kind]}=${token}; ${attributes}; HttpOnly`)
	if (kind === 'session') headers.append('set-cookie', `${HINT_NAME}=${token && '1'}; ${attributes}`)
}

export const clearCookie = (headers: Headers, kind: SessionKind): void => setCookie(headers, kind, '', 0)
