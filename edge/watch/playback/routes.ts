import * as contract from '#schema/contract/watch/playback.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBase } from '../../platform/env.ts'
import { choosePassedToken, mintHourlyToken } from '../../video/assets/playable/playback-tokens.ts'
import { getOwnPlayback, getPlayable, mayEdit } from '../../video/assets/playable/viewer.ts'
import { thumbnailUrl } from '../../video/assets/view.ts'
import { answerThumbnail } from './thumbnail.ts'
import { buildPreviewLinks, manifestUrl, viewPlayback } from './view.ts'

export const playbackRoutes: Route[] = [
	serve(contract.getPlayback, async ({ deps, caller, params, query, request, headers }) => {
		const row = await getPlayable(deps, { ...params, token: query.token, caller })
		const urls = { base: apiBase(deps.env, request), token: await choosePassedToken(deps, row, query.token) }
		const links = buildPreviewLinks(urls, row)
		if (links) headers.set('link', links)
		return { data: viewPlayback(row, mayEdit(caller, row), urls) }
	}),

	serve(contract.getAssetPlayback, async ({ deps, caller, params, request }) => {
		const asset = await getOwnPlayback(deps, caller.org.id, params.assetId)
		const urls = { base: apiBase(deps.env, request), token: await mintHourlyToken(deps, asset, 'v') }
		return {
			data: {
				assetId: asset.id,
				playbackId: asset.playbackId,
				manifestUrl: manifestUrl(urls, asset),
				thumbnailUrl: thumbnailUrl(urls, asset),
			},
		}
	}),

	serve(contract.getThumbnail, ({ deps, params, query, request }) =>
		answerThumbnail(
			deps,
			params.playbackId,
			{ isVersioned: query.v !== undefined, token: query.token, width: query.w },
			request,
		),
	),
]
