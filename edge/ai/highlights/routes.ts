import * as contract from '#schema/contract/ai/highlights.ts'
import { type Route, serve } from '../../http/route.ts'
import { apiBase } from '../../platform/env.ts'
import { choosePassedToken } from '../../video/assets/playable/playback-tokens.ts'
import { getPlayable } from '../../video/assets/playable/viewer.ts'
import { changeHighlight, deleteHighlight, listShownHighlights } from './highlights.ts'
import { rankIfDue } from './ranking/rank.ts'
import { viewPublicHighlights } from './view.ts'

export const highlightRoutes: Route[] = [
	serve(contract.listHighlights, async ({ deps, caller, params, query, request }) => {
		const row = await getPlayable(deps, { ...params, token: query.token, caller })
		const urls = { base: apiBase(deps.env, request), token: await choosePassedToken(deps, row, query.token) }
		const shown = await listShownHighlights(deps, row)
		deps.defer(rankIfDue(deps, row, shown))
		return { data: viewPublicHighlights(urls, row, shown) }
	}),

	serve(contract.updateHighlight, async ({ deps, caller, params, body }) => ({
		data: await changeHighlight(deps, caller.org.id, params, body),
	})),

	serve(contract.deleteHighlight, async ({ deps, caller, params }) => {
		await deleteHighlight(deps, caller.org.id, params)
		return { data: { id: params.highlightId, deleted: true as const } }
	}),
]
