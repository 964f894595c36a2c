import type { Feature } from '../../http/feature.ts'
import { highlightsPersonalData } from './personal-data.ts'
import { deleteHighlightsStatements } from './removal-store.ts'
import { highlightRoutes } from './routes.ts'
import { dropSilentHighlights } from './unheard.ts'

export const highlightsFeature = {
	routes: highlightRoutes,
	followers: {
		'asset.transcript_replaced': (deps, { orgId, payload: { assetId } }) =>
			dropSilentHighlights(deps, { orgId, id: assetId }),
	},
	personalData: highlightsPersonalData,
	deleteOfAssetStatements: deleteHighlightsStatements,
} satisfies Feature
