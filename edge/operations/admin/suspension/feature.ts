import type { Feature } from '../../../http/feature.ts'
import { suspensionRoutes } from './routes.ts'

/** The reasons are columns of `orgs` and contain no personal data. */
export const suspensionFeature = { routes: suspensionRoutes } satisfies Feature
