import { getMetrics } from '#schema/contract/operations/installation/metrics.ts'
import { type Route, serve } from '../../../http/route.ts'
import { collectMetrics } from './scrape.ts'

export const metricsRoutes: Route[] = [
	serve(
		getMetrics,
		async ({ deps }) =>
			new Response(await collectMetrics(deps), { headers: { 'content-type': getMetrics.answersWith } }),
	),
]
