import type { Feature } from '../../http/feature.ts'
import { publicCommunityRoutes } from './community-routes.ts'
import { settingsRoutes } from './routes.ts'

export const settingsFeature = {
	routes: [...settingsRoutes, ...publicCommunityRoutes],
} satisfies Feature
