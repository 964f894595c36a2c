import type { Feature } from '../http/feature.ts'
import { adminUserRoutes } from './users/routes.ts'

export const adminFeature = {
	routes: [...adminUserRoutes],
} satisfies Feature
