import type { Feature } from '../http/feature.ts'
import { adminOrgRoutes } from './orgs/routes.ts'
import { adminUserRoutes } from './users/routes.ts'

export const adminFeature = {
	routes: [...adminUserRoutes, ...adminOrgRoutes],
} satisfies Feature
