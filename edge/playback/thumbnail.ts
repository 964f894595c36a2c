import { findPicture } from '../assets/assets.ts'
import { findPlayable } from '../assets/playable.ts'
import { isPlaybackToken } from '../assets/playback-tokens.ts'
import { AppError } from '../http/errors.ts'
import type { Deps } from '../platform/deps.ts'
import { answerWithObject } from '../platform/object-response.ts'

const noPicture =
	'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" role="img" aria-label="No picture yet"><rect width="320" height="180" fill="#1e293b"/><path d="M136 62v56l48-28z" fill="#64748b"/></svg>'

type Asked = { isVersioned: boolean; token: string | undefined }

/** The custom picture, else a frame of the video, else one that stands for none. */
export async function answerThumbnail(
	deps: Deps,
	playbackId: string,
	asked: Asked,
	request: Request,
): Promise<Response> {
	// What is kept costs no SQL. It may name a picture that was replaced meanwhile, and deleted with that.
	const kept = await findPlayable(deps, playbackId)
	const picture = kept && (await answerPicture(deps, playbackId, kept, asked, request))
	if (picture) return picture
	const now = await findPicture(deps, playbackId)
	return (
		(await answerPicture(deps, playbackId, now, asked, request)) ??
		new Response(noPicture, {
			headers: { 'content-type': 'image/svg+xml', 'cache-control': `${scopeOf(now)}, max-age=60` },
		})
	)
}

type Pictured = Awaited<ReturnType<typeof findPicture>>

const scopeOf = ({ visibility }: Pictured) => (visibility === 'signed' ? 'private' : 'public')

async function answerPicture(
	deps: Deps,
	playbackId: string,
	pictured: Pictured,
	{ isVersioned, token }: Asked,
	request: Request,
): Promise<Response | null> {
	if (
		pictured.visibility === 'signed' &&
		!(await isPlaybackToken(deps, { ...pictured, playbackId }, 't', token))
	)
		throw new AppError('forbidden', 'this picture takes a playback token; there was none, or it has ended')
	const key = pictured.customThumbnailKey ?? pictured.frameKey
	const lifetime = isVersioned ? 'max-age=31536000, immutable' : 'max-age=60'
	const labels = { 'cache-control': `${scopeOf(pictured)}, ${lifetime}` }
	return key === null ? null : answerWithObject(request, deps.objects.media, key, labels)
}
