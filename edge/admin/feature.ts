import type { Feature } from '../http/feature.ts'
import { pruneErrorGroups } from './asset-errors/retry.ts'
import { assetErrorRoutes } from './asset-errors/routes.ts'
import { adminOrgRoutes } from './orgs/routes.ts'
import { adminUserRoutes } from './users/routes.ts'

export const adminFeature = {
	routes: [...adminUserRoutes, ...adminOrgRoutes, ...assetErrorRoutes],
	prune: pruneErrorGroups,
} satisfies Feature
