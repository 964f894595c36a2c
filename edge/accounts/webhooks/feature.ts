import { crons, type Feature } from '../../http/feature.ts'
import { deliverWebhooks } from './deliveries/deliver.ts'
import { pruneDeliveries, sweepDeliveries } from './deliveries/sweep.ts'
import { defaultWebhook } from './endpoints/default-webhook.ts'
import { webhookMetrics } from './metrics.ts'
import { notifyOfDisabled, notifyOfFailing, reportFailingEndpoints } from './notices.ts'
import { webhooksPersonalData } from './personal-data.ts'
import { planMissedEvents, planRecordedEvents } from './planning/plan.ts'
import { webhookRoutes } from './routes.ts'

export const webhooksFeature = {
	routes: webhookRoutes,
	consumers: { 'webhook.deliver': deliverWebhooks },
	followers: {
		'webhook.failing': notifyOfFailing,
		'webhook.disabled_soon': notifyOfFailing,
		'webhook.disabled': notifyOfDisabled,
	},
	schedules: [
		{ cron: crons.eachMinute, name: 'plan-deliveries', run: planMissedEvents },
		{ cron: crons.eachMinute, name: 'retry-deliveries', run: sweepDeliveries },
		{ cron: crons.eachTenMinutes, name: 'report-failing-endpoints', run: reportFailingEndpoints },
	],
	prune: pruneDeliveries,
	personalData: webhooksPersonalData,
	contributions: { planDeliveries: planRecordedEvents, defaultWebhook },
	metrics: webhookMetrics,
} satisfies Feature
