const METHODS = 'GET, HEAD, PUT, POST, DELETE'
const EXPOSED = 'ETag, Content-Range, Content-Length, Accept-Ranges, Last-Modified, Content-Disposition'
const DAY_SECONDS = '86400'

/** Any page may: the signature is the permission, and no cookie is ever looked at. */
export function preflight(request: Request): Response {
	return new Response(null, {
		status: 204,
		headers: {
			'access-control-allow-origin': '*',
			'access-control-allow-methods': METHODS,
			// Named one by one: older browsers take "*" for a header of that name.
			'access-control-allow-headers': namesIn(request.headers.get('access-control-request-headers')),
			'access-control-max-age': DAY_SECONDS,
			vary: 'Access-Control-Request-Headers',
		},
	})
}

/** The list that the page sent, if it is one. */
const namesIn = (list: string | null): string => (list && /^[\w-]+(\s*,\s*[\w-]+)*$/.test(list) ? list : '*')

/**
 * Stored bytes are anybody's: they must neither be guessed at nor run as a page of this origin. A film that is opened
 * by itself is a page around its own address, hence media-src.
 */
export function guard(response: Response): Response {
	response.headers.set('access-control-allow-origin', '*')
	response.headers.set('access-control-expose-headers', EXPOSED)
	response.headers.set('x-content-type-options', 'nosniff')
	response.headers.set('content-security-policy', "sandbox; default-src 'none'; media-src 'self'")
	return response
}
