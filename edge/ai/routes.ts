import { runAiSteps } from '#schema/contract/video/transcoding.ts'
import { type Route, serve } from '../http/route.ts'
import { runSteps } from './run.ts'

export const aiRoutes: Route[] = [
	serve(runAiSteps, async ({ deps, caller, params, body }) => ({
		data: { aiJob: await runSteps(deps, caller.org.id, params.assetId, body) },
	})),
]
