import type { ImageWidth } from '#schema/contract/kit/queries/image-width.ts'
import { AppError } from '../../http/errors.ts'
import type { Deps } from '../../platform/deps.ts'
import { answerWithImage } from '../../platform/images/image-variants.ts'
import { findPicture } from '../../video/assets/assets.ts'
import { findPlayable } from '../../video/assets/playable/playable.ts'
import { isPlaybackToken } from '../../video/assets/playable/playback-tokens.ts'

const fallbackSvg =
	'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 180" role="img" aria-label="No thumbnail yet"><rect width="320" height="180" fill="#1e293b"/><path d="M136 62v56l48-28z" fill="#64748b"/></svg>'

type ThumbnailRequest = { isVersioned: boolean; token: string | undefined; width: ImageWidth | undefined }

/** Serves the custom thumbnail, else a frame of the video, else a fallback image. */
export async function answerThumbnail(
	deps: Deps,
	playbackId: string,
	thumbnailRequest: ThumbnailRequest,
	request: Request,
): Promise<Response> {
	// The cached row costs no SQL. Its thumbnail may have been replaced and deleted since.
	const cached = await findPlayable(deps, playbackId)
	const response = cached && (await answerWithStored(deps, playbackId, cached, thumbnailRequest, request))
	if (response) return response
	const current = await findPicture(deps, playbackId)
	return (
		(await answerWithStored(deps, playbackId, current, thumbnailRequest, request)) ??
		new Response(fallbackSvg, {
			headers: { 'content-type': 'image/svg+xml', 'cache-control': `${cacheScope(current)}, max-age=60` },
		})
	)
}

type ThumbnailRow = Awaited<ReturnType<typeof findPicture>>

const cacheScope = ({ visibility }: ThumbnailRow) => (visibility === 'signed' ? 'private' : 'public')

async function answerWithStored(
	deps: Deps,
	playbackId: string,
	row: ThumbnailRow,
	{ isVersioned, token, width }: ThumbnailRequest,
	request: Request,
): Promise<Response | null> {
	if (row.visibility === 'signed' && !(await isPlaybackToken(deps, { ...row, playbackId }, 't', token)))
		throw new AppError(
			'forbidden',
			'this thumbnail requires a playback token; it is missing, invalid or expired',
		)
	const key = row.customThumbnailKey ?? row.frameKey
	const lifetime = isVersioned ? 'max-age=31536000, immutable' : 'max-age=60'
	const cacheHeaders = { 'cache-control': `${cacheScope(row)}, ${lifetime}` }
	const { media: bucket } = deps.objects
	return key === null ? null : answerWithImage(deps, request, { bucket, key, width }, cacheHeaders)
}
