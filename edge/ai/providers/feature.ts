import { crons, type Feature } from '../../http/feature.ts'
import { consumeCallback } from './callbacks/consume.ts'
import { deliverySweep } from './callbacks/delivery-store.ts'
import { pruneCalls, sweepCalls } from './callbacks/sweep.ts'
import { dueChecks } from './calls/store.ts'
import { aiMetrics } from './metrics.ts'
import { aiProvidersPersonalData } from './personal-data.ts'
import { aiProviderRoutes } from './routes.ts'

export const aiProvidersFeature = {
	routes: aiProviderRoutes,
	consumers: { 'ai.callback': consumeCallback },
	schedules: [
		{ cron: crons.eachMinute, name: 'retry-ai-calls', due: [deliverySweep, dueChecks], run: sweepCalls },
	],
	prune: pruneCalls,
	personalData: aiProvidersPersonalData,
	metrics: aiMetrics,
} satisfies Feature
