import type { Feature } from '../http/feature.ts'
import { makeChapters } from './making.ts'
import { chapterRoutes } from './routes.ts'

export const chaptersFeature = {
	routes: chapterRoutes,
	followers: {
		'asset.transcript_replaced': (deps, { orgId, payload }) =>
			makeChapters(deps, { orgId, id: payload.assetId }, { force: false }),
	},
} satisfies Feature
