const METHODS = 'GET, HEAD, PUT, POST, DELETE'
const EXPOSED =
	'ETag, Range, Content-Range, Content-Length, Accept-Ranges, Last-Modified, Content-Disposition'
const DAY_SECONDS = '86400'

/** Allows every origin, because the signature grants access and cookies are never read. */
export function answerPreflight(request: Request): Response {
	return new Response(null, {
		status: 204,
		headers: {
			'access-control-allow-origin': '*',
			'access-control-allow-methods': METHODS,
			// Headers are listed by name, because older browsers treat "*" as a header name.
			'access-control-allow-headers': namesIn(request.headers.get('access-control-request-headers')),
			'access-control-max-age': DAY_SECONDS,
			vary: 'Access-Control-Request-Headers',
		},
	})
}

/** Returns the requested header list if it is well-formed, else "*". */
const namesIn = (list: string | null): string => (list && /^[\w-]+(\s*,\s*[\w-]+)*$/.test(list) ? list : '*')

/**
 * Adds CORS and security headers. Stored bytes are untrusted, so browsers must not sniff their type or run them as a
 * page of this origin. `media-src` is needed when a browser opens a video URL directly.
 */
export function addSecurityHeaders(response: Response): Response {
	response.headers.set('access-control-allow-origin', '*')
	response.headers.set('access-control-expose-headers', EXPOSED)
	response.headers.set('x-content-type-options', 'nosniff')
	response.headers.set('content-security-policy', "sandbox; default-src 'none'; media-src 'self'")
	return response
}
