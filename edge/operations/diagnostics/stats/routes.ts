import { getFleetStats, getInstallationStats, getWorkerStats } from '#schema/contract/operations/stats.ts'
import { type Route, serve } from '../../../http/route.ts'
import { findTotals } from '../totals/totals.ts'
import { viewTotals } from '../totals/view.ts'
import { readFleetStats, readWorkerStats } from './stats.ts'

export const statsRoutes: Route[] = [
	serve(getFleetStats, async ({ deps }) => ({ data: await readFleetStats(deps) })),
	serve(getWorkerStats, async ({ deps }) => ({ data: await readWorkerStats(deps) })),

	serve(getInstallationStats, async ({ deps }) => {
		const totals = await findTotals(deps)
		return { data: totals && viewTotals(totals) }
	}),
]
