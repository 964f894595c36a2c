import { savedViews } from '#schema/tables/video/saved-views.ts'
import type { Feature } from '../../http/feature.ts'
import { savedViewRoutes } from './routes.ts'

export const savedViewsFeature = {
	routes: savedViewRoutes,
	personalData: {
		orgKeys: [savedViews.orgId],
		impersonal: [[savedViews.name, 'the name of a view, chosen by the organization']],
	},
} satisfies Feature
