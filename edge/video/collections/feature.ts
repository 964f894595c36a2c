import type { Feature } from '../../http/feature.ts'
import { collectionsPersonalData } from './personal-data.ts'
import { collectionRoutes } from './routes.ts'

export const collectionsFeature = {
	routes: collectionRoutes,
	personalData: collectionsPersonalData,
} satisfies Feature
