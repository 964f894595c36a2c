import { crons, type Feature } from '../http/feature.ts'
import { deleteOldSalts } from './ingest/visitor.ts'
import { analyticsRoutes } from './routes.ts'
import { deletePlaybackSessions } from './sessions/delete-sessions.ts'

export const analyticsFeature = {
	routes: analyticsRoutes,
	schedules: [{ cron: crons.eachTenMinutes, name: 'delete the salts of visitor marks', run: deleteOldSalts }],
	contributions: { deletePlaybackSessions },
} satisfies Feature
