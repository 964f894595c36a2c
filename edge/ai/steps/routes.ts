import { getAiStats } from '#schema/contract/operations/stats.ts'
import { runAiSteps } from '#schema/contract/video/transcoding.ts'
import { type Route, serve } from '../../http/route.ts'
import { runSteps } from './run.ts'
import { readAiStats } from './stats.ts'

export const aiRoutes: Route[] = [
	serve(runAiSteps, async ({ deps, caller, params, body }) => ({
		data: { aiJob: await runSteps(deps, caller.org.id, params.assetId, body) },
	})),

	serve(getAiStats, async ({ deps }) => ({ data: await readAiStats(deps) })),
]
