import { getFleetStats, getWorkerStats } from '#schema/contract/platform/stats.ts'
import { type Route, serve } from '../../http/route.ts'
import { readFleetStats, readWorkerStats } from './stats.ts'

export const statsRoutes: Route[] = [
	serve(getFleetStats, async ({ deps }) => ({ data: await readFleetStats(deps) })),
	serve(getWorkerStats, async ({ deps }) => ({ data: await readWorkerStats(deps) })),
]
