import { getConfig, healthLive, healthReady } from '#schema/contract/platform/health.ts'
import { AppError } from '../../http/errors.ts'
import { type Route, serve } from '../../http/route.ts'
import { publicConfig } from './config.ts'
import { checkDatabase } from './health.ts'
import { answerLive } from './live.ts'

export const healthRoutes: Route[] = [
	{ op: healthLive, answer: async (request) => answerLive(request) },

	serve(healthReady, async ({ deps }) => {
		const { ok } = await checkDatabase(deps)
		if (!ok)
			throw new AppError('unavailable', 'the database does not respond; try again', {
				headers: { 'retry-after': '5' },
			})
		return { ok }
	}),

	serve(getConfig, async ({ deps }) => ({ data: publicConfig(deps) })),
]
