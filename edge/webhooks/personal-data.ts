import * as webhooks from '#schema/tables/webhooks.ts'
import type { PersonalData } from '../platform/personal-data.ts'

export const webhooksPersonalData: Partial<PersonalData> = {
	orgKeys: [
		webhooks.webhookEndpoints.orgId,
		webhooks.webhookDeliveries.orgId,
		webhooks.webhookAttempts.orgId,
	],
	exportedOrgKeys: [
		[webhooks.webhookEndpoints.orgId, 'webhook endpoints of organizations that have no other member'],
		[webhooks.webhookDeliveries.orgId, 'deliveries to these endpoints'],
	],
	impersonal: [[webhooks.webhookEndpoints.payload, 'whether deliveries contain only ids']],
	secretColumns: [webhooks.webhookEndpoints.secret, webhooks.webhookEndpoints.previousSecret],
}
