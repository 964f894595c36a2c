import type { Feature } from '../../http/feature.ts'
import { hasLanguageModel } from '../providers/calls/ask-model.ts'
import { makeChapters } from './making.ts'
import { chapterRoutes } from './routes.ts'

export const chaptersFeature = {
	routes: chapterRoutes,
	followers: {
		// After an engine wrote the transcript, the step `chapters` makes them, if it was requested.
		'asset.transcript_replaced': async (deps, { orgId, payload: { assetId, by } }) => {
			if (by !== 'person') return
			if (await hasLanguageModel(deps, orgId)) await deps.send({ type: 'ai.chapters', orgId, assetId })
			else await makeChapters(deps, { orgId, id: assetId }, { force: false })
		},
	},
} satisfies Feature
