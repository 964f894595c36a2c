import type { Feature } from '../../http/feature.ts'
import { secretRotationPersonalData } from './personal-data.ts'
import { secretRotationRoutes } from './routes.ts'

export const secretRotationFeature = {
	routes: secretRotationRoutes,
	personalData: secretRotationPersonalData,
} satisfies Feature
