import { getConfig, healthLive, healthReady } from '#schema/contract/operations/health.ts'
import { type Route, serve } from '../../../http/route.ts'
import { readPublicConfig } from './config.ts'
import { requireDatabase } from './health.ts'
import { answerLive } from './live.ts'

export const healthRoutes: Route[] = [
	{ op: healthLive, answer: async (request) => answerLive(request) },

	serve(healthReady, async ({ deps }) => {
		await requireDatabase(deps)
		return { ok: true as const }
	}),

	serve(getConfig, async ({ deps }) => ({ data: await readPublicConfig(deps) })),
]
