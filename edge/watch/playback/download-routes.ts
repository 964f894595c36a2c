import * as contract from '#schema/contract/video/downloads.ts'
import { type Route, serve } from '../../http/route.ts'
import {
	downloadAiAudio,
	downloadAsset,
	downloadAudio,
	downloadVideo,
	downloadVideoAudio,
} from './downloads.ts'

export const downloadRoutes: Route[] = [
	serve(contract.downloadAsset, async ({ deps, caller, params, query }) => ({
		data: await downloadAsset(deps, caller.org.id, params.assetId, query.quality),
	})),

	serve(contract.downloadAudio, async ({ deps, caller, params }) => ({
		data: await downloadAudio(deps, caller.org.id, params.assetId),
	})),

	serve(contract.downloadAiAudio, async ({ deps, caller, params }) => ({
		data: await downloadAiAudio(deps, caller.org.id, params.assetId),
	})),

	serve(contract.downloadVideo, async ({ deps, caller, params, query }) => ({
		data: await downloadVideo(deps, { ...params, token: query.token, caller }, query.quality),
	})),

	serve(contract.downloadVideoAudio, async ({ deps, caller, params, query }) => ({
		data: await downloadVideoAudio(deps, { ...params, token: query.token, caller }),
	})),
]
