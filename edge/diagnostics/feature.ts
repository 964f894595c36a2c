import { healthLive } from '#schema/contract/platform/health.ts'
import type { Feature } from '../http/feature.ts'
import { answerLive } from './health/live.ts'
import { healthRoutes } from './health/routes.ts'
import { diagnosticsRoutes } from './routes.ts'
import { statsRoutes } from './stats/routes.ts'

export const diagnosticsFeature = {
	routes: [...healthRoutes, ...diagnosticsRoutes, ...statsRoutes],
	mountFirst(app) {
		app.get(healthLive.path, (c) => answerLive(c.req.raw))
	},
} satisfies Feature
