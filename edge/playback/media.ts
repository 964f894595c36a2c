import { mediaPrefix } from '../assets/storage-keys.ts'
import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { answerWithObject } from '../platform/object-response.ts'
import { deliveryOf } from './media-type.ts'
import { getPlayable } from './playback.ts'

/** Not an operation: players come here by the addresses that playlists name. */
export const MEDIA_PATH = '/media/*'

const ADDRESS = /^\/media\/([0-9A-Za-z]{22})\/(?:~([\w.-]+)\/)?((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)$/
/** The WebVTT that names the small pictures along the time line, and the sheets that it names. */
const STORYBOARD = /\/(storyboard\.vtt|sheet\.jpg|sheets\/\d+\.jpg)$/
const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i
const METHODS = 'GET, HEAD, OPTIONS'
const EXPOSED = 'Content-Length, Content-Range, ETag, X-Request-Id'

/**
 * Playlists, segments, stills and subtitles of assets that are ready, for any page there is. The token of a signed one is a part
 * of the path (`/~token/`), so that what a playlist names beside it is asked for with it too.
 */
export async function answerMedia(request: Request, deps: Deps): Promise<Response> {
	if (request.method === 'OPTIONS') return withCors(new Response(null, { status: 204 }))
	if (request.method !== 'GET' && request.method !== 'HEAD')
		throw new AppError('method_not_allowed', 'media is only read', { headers: { allow: METHODS } })
	const [, playbackId = '', token, path = ''] = ADDRESS.exec(new URL(request.url).pathname) ?? []
	const delivery = deliveryOf(path)
	const zipped = delivery?.isText && TAKES_GZIP.test(encodingsOf(request))
	if (!delivery) throw new AppError('not_found', 'playback not found')
	const { visibility } = await getPlayable(deps, { playbackId, token }, STORYBOARD.test(path) ? 's' : 'v')
	const cacheControl = `${visibility === 'signed' ? 'private' : 'public'}, ${delivery.lifetime}`
	const found = await answerWithObject(
		zipped ? withoutRange(request) : request,
		deps.objects.media,
		mediaPrefix(playbackId) + path,
		{ 'content-type': delivery.contentType, 'cache-control': cacheControl },
	)
	if (!found) throw new AppError('not_found', 'playback not found')
	if (delivery.isText) {
		found.headers.append('vary', 'Accept-Encoding')
		if (zipped && found.status === 200) zip(found.headers)
	}
	return withCors(found)
}

/** The platform writes its own list over the client's, and keeps the client's beside it. */
const encodingsOf = ({ cf, headers }: Request): string =>
	String(cf?.clientAcceptEncoding ?? headers.get('accept-encoding') ?? '')

/** A part of a text that is sent zipped would be a part of something else. */
function withoutRange(request: Request): Request {
	const headers = new Headers(request.headers)
	headers.delete('range')
	return new Request(request.url, { method: request.method, headers })
}

/** The runtime zips what says that it is. The tag becomes a weak one, since the bytes are others. */
function zip(headers: Headers): void {
	headers.set('content-encoding', 'gzip')
	headers.set('etag', `W/${headers.get('etag')}`)
	for (const name of ['content-length', 'accept-ranges']) headers.delete(name)
}

function withCors(response: Response): Response {
	response.headers.set('access-control-allow-origin', '*')
	response.headers.set('access-control-expose-headers', EXPOSED)
	if (response.status === 204) {
		response.headers.set('access-control-allow-methods', METHODS)
		response.headers.set('access-control-allow-headers', 'Range, If-None-Match, If-Range')
		response.headers.set('access-control-max-age', '86400')
	}
	return response
}
