import { composeFile } from '../../ai/subtitles/hls/files.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { apiBase } from '../../platform/env.ts'
import { acceptsGzip } from '../../platform/network/gzip.ts'
import { answerWithText } from '../../platform/network/text-response.ts'
import { answerWithObject } from '../../platform/storage/object-response.ts'
import { getPlayable, playbackNotFoundError } from '../../video/assets/playable/viewer.ts'
import { mediaPrefix } from '../../video/assets/storage-keys.ts'
import type { PlayableRow } from '../../video/assets/store.ts'
import { findRefusedPage } from '../settings/embed-domains.ts'
import { chooseMediaDelivery } from './media-type.ts'
import { watchServed } from './served-media.ts'

/** Not an operation: players request the URLs in the playlists. */
export const MEDIA_PATH = '/media/*'

const MEDIA_URL = /^\/media\/([0-9A-Za-z]{22})\/(?:~([\w.-]+)\/)?((?:[\w-][\w.-]*\/)*[\w-][\w.-]*)$/
/** The WebVTT file of the storyboard, and its sheets of thumbnails. */
const STORYBOARD = /\/(storyboard\.vtt|sheet\.jpg|sheets\/\d+\.jpg)$/
const PLAYLIST = /\.m3u8$/
const METHODS = 'GET, HEAD, OPTIONS'
/** Players may send CMCD (CTA-5004) in headers. */
const ALLOWED = 'Range, If-None-Match, If-Range, CMCD-Request, CMCD-Object, CMCD-Status, CMCD-Session'
const EXPOSED = 'Content-Length, Content-Range, ETag, X-Request-Id'

/** A viewer may know the URL from before the organization hid the file. */
const isHidden = ({ publicSettings }: PlayableRow, path: string): boolean =>
	(path.startsWith('chapters/') && !publicSettings.showChapters) ||
	(path.startsWith('transcripts/') && !publicSettings.showTranscript) ||
	(path.startsWith('highlights/') && !publicSettings.showHighlights)

/**
 * Serves playlists, segments, stills and subtitles of assets that are ready, to pages of any origin. The token of a
 * signed asset is part of the path (`/~token/`), so relative URLs in a playlist include it too.
 */
export async function answerMedia(request: Request, deps: Deps): Promise<Response> {
	if (request.method === 'OPTIONS') return withCors(new Response(null, { status: 204 }))
	if (request.method !== 'GET' && request.method !== 'HEAD')
		throw new AppError('method_not_allowed', 'media is read-only; use GET', { headers: { allow: METHODS } })
	const [, playbackId = '', token, path = ''] = MEDIA_URL.exec(new URL(request.url).pathname) ?? []
	const delivery = chooseMediaDelivery(path)
	const isGzipped = delivery?.isText && acceptsGzip(request)
	if (!delivery) throw playbackNotFoundError()
	const row = await getPlayable(deps, { playbackId, token }, STORYBOARD.test(path) ? 's' : 'v')
	if (isHidden(row, path)) throw playbackNotFoundError()
	const isSigned = row.visibility === 'signed'
	const isForAllowedPages = isSigned && PLAYLIST.test(path) && row.org.allowedEmbedDomains.length > 0
	if (isForAllowedPages) requireAllowedPage(deps, request, row.org)
	const cacheControl = `${isSigned ? 'private' : 'public'}, ${delivery.lifetime}`
	const labels = { 'content-type': delivery.contentType, 'cache-control': cacheControl }
	const composing = composeFile(deps, row, path)
	const found = composing
		? await answerWithText(request, await composing, labels)
		: await answerWithObject(
				isGzipped ? withoutRange(request) : request,
				deps.objects.media,
				mediaPrefix(playbackId) + path,
				labels,
			)
	if (!found) throw playbackNotFoundError()
	if (isForAllowedPages) found.headers.append('vary', 'Origin, Referer')
	if (delivery.isText) {
		found.headers.append('vary', 'Accept-Encoding')
		if (isGzipped && found.status === 200) setGzipHeaders(found.headers)
	}
	const { response, served } = watchServed(request, found, row, path)
	if (served) deps.contributions.noteServedMedia(deps, served)
	return withCors(response)
}

function requireAllowedPage({ env }: Deps, request: Request, org: PlayableRow['org']): void {
	// Not the host of the request, which may be the custom domain of another organization's community.
	const ownHosts = new Set([...env.ownHosts, new URL(apiBase(env, request)).hostname])
	const page = findRefusedPage(request.headers, org.allowedEmbedDomains, ownHosts)
	if (page !== null)
		throw new AppError(
			'forbidden',
			`this video can't be embedded on ${page}; its organization can add the host to allowedEmbedDomains (PATCH /v1/settings)`,
		)
}

/** Removes the range, which would refer to the uncompressed bytes. */
function withoutRange(request: Request): Request {
	const headers = new Headers(request.headers)
	headers.delete('range')
	return new Request(request.url, { method: request.method, headers })
}

/** Makes the runtime compress the body. The etag becomes weak, since the bytes differ. */
function setGzipHeaders(headers: Headers): void {
	headers.set('content-encoding', 'gzip')
	headers.set('etag', `W/${headers.get('etag')}`)
	for (const name of ['content-length', 'accept-ranges']) headers.delete(name)
}

function withCors(response: Response): Response {
	response.headers.set('access-control-allow-origin', '*')
	response.headers.set('access-control-expose-headers', EXPOSED)
	response.headers.set('cross-origin-resource-policy', 'cross-origin')
	if (response.status === 204) {
		response.headers.set('access-control-allow-methods', METHODS)
		response.headers.set('access-control-allow-headers', ALLOWED)
		response.headers.set('access-control-max-age', '86400')
	}
	return response
}
