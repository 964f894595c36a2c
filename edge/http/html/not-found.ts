import { statusByCode } from '#schema/contract/kit/problem.ts'
import { trimEnd } from '#schema/contract/kit/trim-end.ts'
import { AppError, errorResponse } from '../errors.ts'
import type { Route } from '../route.ts'
import { renderCardPage } from './card-page.ts'

const policy =
	"default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The longest path quoted in a response. */
const MAX_PATH = 200

/** `endsWithSlash` is set if the path without its trailing slash is served. */
type NotFound = { error: AppError; endsWithSlash?: boolean }

/** Returns the error for an unserved path. Suggests the path without its trailing slash, if that is served. */
export function unknownAddressError(path: string, routes: readonly Route[]): NotFound {
	const known = trimEnd(path, '/')
	const unknown = { error: new AppError('not_found', 'not found'), endsWithSlash: false }
	if (known === path || path.length > MAX_PATH) return unknown
	const segments = known.split('/')
	if (!routes.some(({ op }) => matches(op.path.split('/'), segments))) return unknown
	const error = new AppError('not_found', `not found; remove the slash at the end: ${known}`)
	return { error, endsWithSlash: true }
}

const matches = (pattern: readonly string[], segments: readonly string[]): boolean =>
	pattern.length === segments.length &&
	pattern.every(
		(segment, at) => segment === segments[at] || (/^\{\w+\}$/.test(segment) && segments[at] !== ''),
	)

/** Returns a page for browsers, and an API error for other clients. */
export function notFoundResponse({ error, endsWithSlash = false }: NotFound, request: Request): Response {
	const response = errorResponse(error, new URL(request.url).pathname)
	response.headers.set('vary', 'accept')
	if (!isBrowser(request)) return response
	const { headers } = response
	headers.set('content-type', 'text/html; charset=utf-8')
	headers.set('content-security-policy', policy)
	return new Response(page(endsWithSlash), { status: statusByCode.not_found, headers })
}

/** Only browsers request HTML explicitly. */
const isBrowser = ({ method, headers }: Request): boolean =>
	['GET', 'HEAD'].includes(method) && /\btext\/html\b/i.test(headers.get('accept')?.slice(0, 1_000) ?? '')

/** The path is untrusted, so the page does not show it. */
const page = (endsWithSlash: boolean): string =>
	renderCardPage({
		title: 'Page not found',
		heading: 'Page not found',
		lead: endsWithSlash
			? 'The address ends with a slash that does not belong there. Remove it and try again.'
			: 'Check the address for typing errors. The page may also have been removed.',
		content: '<p class="step"><a href="/">Go to the start page</a></p>',
	})
