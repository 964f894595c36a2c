import type { Feature } from '../http/feature.ts'
import { transcriptRoutes } from './routes.ts'

export const transcriptsFeature = { routes: transcriptRoutes } satisfies Feature
