import * as contract from '#schema/contract/ai/chapters.ts'
import { readIfMatch, setEntityTag } from '../../http/entity-tag.ts'
import { type Route, serve } from '../../http/route.ts'
import { getChapters, replaceChapters } from './chapters.ts'
import { readChaptersVersion, viewChapters } from './view.ts'

export const chapterRoutes: Route[] = [
	serve(contract.getChapters, async ({ deps, caller, params, headers }) => {
		const state = await getChapters(deps, caller.org.id, params.assetId)
		await setEntityTag(headers, readChaptersVersion(state))
		return { data: viewChapters(state) }
	}),

	serve(contract.replaceChapters, async ({ deps, caller, params, body, request, headers }) => {
		const tags = readIfMatch(contract.replaceChapters, request)
		const state = await replaceChapters(deps, caller.org.id, params.assetId, body.chapters, tags)
		await setEntityTag(headers, readChaptersVersion(state))
		return { data: viewChapters(state) }
	}),
]
