import type { Feature } from '../../http/feature.ts'
import { documentRoutes } from './documents.ts'

export const documentsFeature = {
	mount: documentRoutes,
} satisfies Feature
