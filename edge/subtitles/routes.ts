import * as contract from '#schema/contract/video/subtitles/subtitles.ts'
import { readBytes } from '../http/body/bytes-body.ts'
import { type Route, serve } from '../http/route.ts'
import { deleteSubtitles, listSubtitles, setSubtitles } from './subtitles.ts'
import { viewSubtitles } from './view.ts'

export const subtitleRoutes: Route[] = [
	serve(contract.listSubtitles, async ({ deps, caller, params }) => ({
		data: viewSubtitles(await listSubtitles(deps, caller.org.id, params.assetId)),
	})),

	serve(contract.setSubtitles, async ({ deps, caller, params, request }) => {
		const file = {
			bytes: await readBytes(request, contract.MAX_SUBTITLE_BYTES),
			isWebVtt: /^text\/vtt\b/i.test(request.headers.get('content-type') ?? ''),
		}
		return { data: viewSubtitles(await setSubtitles(deps, caller.org.id, params, file)) }
	}),

	serve(contract.deleteSubtitles, async ({ deps, caller, params }) => ({
		data: viewSubtitles(await deleteSubtitles(deps, caller.org.id, params)),
	})),
]
