import type { Feature } from '../../http/feature.ts'
import { bulkRoutes } from './routes.ts'

export const bulkFeature = { routes: bulkRoutes } satisfies Feature
