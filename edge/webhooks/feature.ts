import { crons, type Feature } from '../http/feature.ts'
import { deliverWebhooks } from './deliveries/deliver.ts'
import { planForgotten, pruneDeliveries, reportFailingEndpoints, wakeOverdue } from './deliveries/sweep.ts'
import { defaultWebhook } from './endpoints/default-webhook.ts'
import { notifyOfDisabled, notifyOfFailing } from './notices.ts'
import { webhooksPersonalData } from './personal-data.ts'
import { planRecorded } from './planning/plan.ts'
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
		{ cron: crons.eachMinute, name: 'plan webhook deliveries', run: planForgotten },
		{ cron: crons.eachMinute, name: 'wake webhook endpoints', run: wakeOverdue },
		{ cron: crons.eachTenMinutes, name: 'report failing webhook endpoints', run: reportFailingEndpoints },
	],
	prune: pruneDeliveries,
	personalData: webhooksPersonalData,
	contributions: { planDeliveries: planRecorded, defaultWebhook },
} satisfies Feature
