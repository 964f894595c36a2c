import { healthLive } from '#schema/contract/operations/health.ts'
import { crons, type Feature } from '../../http/feature.ts'
import { answerLive } from './health/live.ts'
import { healthRoutes } from './health/routes.ts'
import { metricsRoutes } from './metrics/routes.ts'
import { runtimeMetrics } from './metrics/runtime-metrics.ts'
import { databaseUp, diskFree } from './metrics/scrape.ts'
import { diagnosticsRoutes } from './routes.ts'
import { totalsMetrics } from './totals/metrics.ts'
import { measureTotals } from './totals/totals.ts'

export const diagnosticsFeature = {
	routes: [...healthRoutes, ...diagnosticsRoutes, ...metricsRoutes],
	schedules: [{ cron: crons.eachTenMinutes, name: 'measure-installation', run: measureTotals }],
	metrics: [...runtimeMetrics, databaseUp, diskFree, ...totalsMetrics],
	mountFirst(app) {
		app.get(healthLive.path, (c) => answerLive(c.req.raw))
	},
} satisfies Feature
