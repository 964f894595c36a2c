import type { Feature } from '../http/feature.ts'
import { subtitleRoutes } from './routes.ts'

export const subtitlesFeature = { routes: subtitleRoutes } satisfies Feature
