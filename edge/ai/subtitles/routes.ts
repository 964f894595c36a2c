import * as contract from '#schema/contract/ai/subtitles/subtitles.ts'
import { readBytes } from '../../http/body/bytes-body.ts'
import { type Route, serve } from '../../http/route.ts'
import type { Deps } from '../../platform/deps.ts'
import { deleteSubtitles, listSubtitles, setSubtitles } from './subtitles.ts'
import type { SubtitleTrack } from './tracks.ts'
import { startTranslations } from './translations/start.ts'
import { translationStore } from './translations/store.ts'
import { viewSubtitles } from './view.ts'

export const subtitleRoutes: Route[] = [
	serve(contract.listSubtitles, async ({ deps, caller, params }) => ({
		data: await withTranslations(
			deps,
			params.assetId,
			await listSubtitles(deps, caller.org.id, params.assetId),
		),
	})),

	serve(contract.setSubtitles, async ({ deps, caller, params, request }) => {
		const file = {
			bytes: await readBytes(request, contract.MAX_SUBTITLE_BYTES),
			isWebVtt: /^text\/vtt\b/i.test(request.headers.get('content-type') ?? ''),
		}
		const tracks = await setSubtitles(deps, caller.org.id, params, file)
		return { data: await withTranslations(deps, params.assetId, tracks) }
	}),

	serve(contract.deleteSubtitles, async ({ deps, caller, params }) => ({
		data: await withTranslations(deps, params.assetId, await deleteSubtitles(deps, caller.org.id, params)),
	})),

	serve(contract.translateSubtitles, async ({ deps, caller, params: { assetId }, body }) => {
		await startTranslations(deps, caller.org.id, assetId, body)
		return { data: await withTranslations(deps, assetId, await listSubtitles(deps, caller.org.id, assetId)) }
	}),
]

/** The tracks prove that the asset is the caller's. */
const withTranslations = async ({ db }: Deps, assetId: string, tracks: readonly SubtitleTrack[]) =>
	viewSubtitles(tracks, await translationStore(db).list(assetId))
