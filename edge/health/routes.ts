import { getConfig, healthLive, healthReady } from '#schema/contract/health.ts'
import { AppError } from '../http/errors.ts'
import { type Route, serve } from '../http/route.ts'
import { publicConfig } from './config.ts'
import { checkDatabase } from './health.ts'

export const healthRoutes: Route[] = [
	serve(healthLive, async () => ({ ok: true })),

	serve(healthReady, async ({ deps }) => {
		const { ok } = await checkDatabase(deps)
		if (!ok)
			throw new AppError('unavailable', 'the database does not answer', { headers: { 'retry-after': '5' } })
		return { ok }
	}),

	serve(getConfig, async ({ deps }) => ({ data: publicConfig(deps) })),
]
