import type { Feature } from '../http/feature.ts'
import { collectionRoutes } from './routes.ts'

export const collectionsFeature = {
	routes: collectionRoutes,
} satisfies Feature
