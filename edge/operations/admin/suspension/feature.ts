import type { Feature } from '../../../http/feature.ts'
import { suspensionRoutes } from './routes.ts'

/** Its reasons are columns of `orgs`, and name nobody. */
export const suspensionFeature = { routes: suspensionRoutes } satisfies Feature
