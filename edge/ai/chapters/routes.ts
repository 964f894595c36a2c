import * as contract from '#schema/contract/ai/chapters.ts'
import { type Route, serve } from '../../http/route.ts'
import { getChapters, replaceChapters } from './chapters.ts'
import { viewChapters } from './view.ts'

export const chapterRoutes: Route[] = [
	serve(contract.getChapters, async ({ deps, caller, params }) => ({
		data: viewChapters(await getChapters(deps, caller.org.id, params.assetId)),
	})),

	serve(contract.replaceChapters, async ({ deps, caller, params, body }) => ({
		data: viewChapters(await replaceChapters(deps, caller.org.id, params.assetId, body.chapters)),
	})),
]
