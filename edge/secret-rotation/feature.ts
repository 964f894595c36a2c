import type { Feature } from '../http/feature.ts'
import { secretRotationRoutes } from './routes.ts'

export const secretRotationFeature = {
	routes: secretRotationRoutes,
} satisfies Feature
