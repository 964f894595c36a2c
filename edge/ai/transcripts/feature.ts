import type { Feature } from '../../http/feature.ts'
import { findMoments } from './moments.ts'
import { transcriptRoutes } from './routes.ts'

export const transcriptsFeature = {
	routes: transcriptRoutes,
	contributions: { findMoments },
} satisfies Feature
