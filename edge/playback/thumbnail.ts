import { findPicture } from '../assets/assets.ts'
import { isPlaybackToken } from '../assets/playback-tokens.ts'
import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { answerWithObject } from '../platform/object-response.ts'

const noPicture =
	'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" role="img" aria-label="No picture yet"><rect width="320" height="180" fill="#1e293b"/><path d="M136 62v56l48-28z" fill="#64748b"/></svg>'

/** The custom picture, else a frame of the video, else one that stands for none. */
export async function answerThumbnail(
	deps: Deps,
	playbackId: string,
	{ isVersioned, token }: { isVersioned: boolean; token: string | undefined },
	request: Request,
): Promise<Response> {
	const { key, visibility } = await findPicture(deps, playbackId)
	const isSigned = visibility === 'signed'
	if (isSigned && !(await isPlaybackToken(deps, playbackId, 't', token)))
		throw new AppError('forbidden', 'this picture takes a playback token; there was none, or it has ended')
	const scope = isSigned ? 'private' : 'public'
	const cacheControl = isVersioned && key ? `${scope}, max-age=31536000, immutable` : `${scope}, max-age=60`
	const picture =
		key && (await answerWithObject(request, deps.objects.media, key, { 'cache-control': cacheControl }))
	if (picture) return picture
	return new Response(noPicture, {
		headers: { 'content-type': 'image/svg+xml', 'cache-control': `${scope}, max-age=60` },
	})
}
