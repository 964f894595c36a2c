import type { Feature } from '../../http/feature.ts'
import { settingsRoutes } from './routes.ts'

export const settingsFeature = {
	routes: settingsRoutes,
} satisfies Feature
