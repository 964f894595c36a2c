import type { OEmbed } from '#schema/contract/watch/oembed.ts'
import { AppError } from '../../../http/errors.ts'
import type { Deps } from '../../../platform/deps.ts'
import { apiBase, playerBase } from '../../../platform/env.ts'
import { findPlayable } from '../../../video/assets/playable/playable.ts'
import { buildEmbedUrl } from '../../../video/assets/playable/player-pages.ts'
import type { PlayableRow } from '../../../video/assets/store.ts'
import { selectLinkParameters } from './link-parameters.ts'
import { PROVIDER_NAME, readPlayerUrl } from './player-links.ts'
import { readShareImage, type ShareImage } from './share-image.ts'
import { choosePlayerSize, fitWithin, isWithin, type Maximum } from './sizes.ts'
import { renderIframeSnippet } from './snippet.ts'

const CACHE_SECONDS = 3_600

type EmbedRequest = { url: string; maximum: Maximum; format: string }

/** Describes the player of a video for another site. */
export async function describeEmbed(
	deps: Deps,
	{ url, maximum, format }: EmbedRequest,
	request: Request,
): Promise<OEmbed> {
	if (format !== 'json') throw new AppError('format_unsupported', 'format: must be json')
	const base = playerBase(deps.env, request)
	const found = readPlayerUrl(url, [base, apiBase(deps.env, request), new URL(request.url).origin])
	const row = found && (await findPlayable(deps, found.playbackId))
	if (!row) throw new AppError('not_found', 'url: must be the URL of a ready video on this installation')
	if (row.visibility === 'signed')
		throw new AppError(
			'unauthorized',
			'this video requires a playback token; ask its owner for an embed code',
		)
	const picture = await readShareImage(deps, row, base)
	return viewOEmbed({ base, row, parameters: selectLinkParameters(found.query), picture, maximum })
}

type Embeddable = Pick<PlayableRow, 'playbackId' | 'title' | 'width' | 'height'>
type View = {
	base: string
	row: Embeddable
	parameters: Record<string, string>
	picture: ShareImage | null
	maximum: Maximum
}

/** Omits the author, because viewers never see the organization's name. */
export function viewOEmbed({ base, row, parameters, picture, maximum }: View): OEmbed {
	const video = choosePlayerSize(row)
	const size = fitWithin(video, maximum)
	const isBounded = maximum.width !== undefined || maximum.height !== undefined
	const src = buildEmbedUrl(base, row.playbackId, parameters)
	return {
		type: 'video',
		version: '1.0',
		provider_name: PROVIDER_NAME,
		provider_url: base,
		title: row.title,
		html: renderIframeSnippet({ src, title: row.title, video, size, isBounded }),
		...size,
		...(picture?.size && isWithin(picture.size, maximum)
			? {
					thumbnail_url: picture.url,
					thumbnail_width: picture.size.width,
					thumbnail_height: picture.size.height,
				}
			: {}),
		cache_age: CACHE_SECONDS,
	}
}
