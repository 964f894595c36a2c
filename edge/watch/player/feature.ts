import type { Feature } from '../../http/feature.ts'
import { mountPlayerPages } from './pages.ts'
import { playerRoutes } from './routes.ts'

export const playerFeature = { routes: playerRoutes, mount: mountPlayerPages } satisfies Feature
