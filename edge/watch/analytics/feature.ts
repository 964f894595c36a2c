import { crons, type Feature } from '../../http/feature.ts'
import { readRecentViewing } from './answers/viewing.ts'
import { deleteAnalytics } from './delete-analytics.ts'
import { countServed } from './delivery/count-served.ts'
import { reportServed } from './ingest/cmcd/report-served.ts'
import { deleteOldSalts } from './ingest/visitor.ts'
import { countViews, readDeliveredMs } from './org/org-stub.ts'
import { analyticsRoutes } from './routes.ts'

export const analyticsFeature = {
	routes: analyticsRoutes,
	schedules: [{ cron: crons.eachTenMinutes, name: 'prune-visitor-salts', run: deleteOldSalts }],
	contributions: {
		countViews,
		deleteAnalytics,
		deliveredMs: readDeliveredMs,
		readRecentViewing,
		noteServedMedia(deps, served) {
			countServed(deps, served)
			reportServed(deps, served)
		},
	},
} satisfies Feature
