import type { Feature } from '../http/feature.ts'
import { highlightRoutes } from './routes.ts'

export const highlightsFeature = { routes: highlightRoutes } satisfies Feature
