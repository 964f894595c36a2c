import type { Feature } from '../http/feature.ts'
import { aiProvidersPersonalData } from './personal-data.ts'
import { aiProviderRoutes } from './routes.ts'

export const aiProvidersFeature = {
	routes: aiProviderRoutes,
	personalData: aiProvidersPersonalData,
} satisfies Feature
