import * as contract from '#schema/contract/playback.ts'
import { thumbnailUrl } from '../assets/view.ts'
import { type Route, serve } from '../http/route.ts'
import { apiBase } from '../platform/env.ts'
import { getOwnPlayback, getPlayable, mayEdit } from './playback.ts'
import { answerThumbnail } from './thumbnail.ts'
import { manifestUrl, viewPlayback } from './view.ts'

export const playbackRoutes: Route[] = [
	serve(contract.getPlayback, async ({ deps, caller, params, request }) => {
		const row = await getPlayable(deps, params.playbackId)
		return { data: viewPlayback(row, mayEdit(caller, row), apiBase(deps.env, request)) }
	}),

	serve(contract.getAssetPlayback, async ({ deps, caller, params, request }) => {
		const asset = await getOwnPlayback(deps, caller.org.id, params.assetId)
		const base = apiBase(deps.env, request)
		return {
			data: {
				assetId: asset.id,
				playbackId: asset.playbackId,
				manifestUrl: manifestUrl(base, asset),
				thumbnailUrl: thumbnailUrl(base, asset),
			},
		}
	}),

	serve(contract.getThumbnail, ({ deps, params, query, request }) =>
		answerThumbnail(deps, params.playbackId, query.v !== undefined, request),
	),
]
