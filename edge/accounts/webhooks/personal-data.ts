import * as webhooks from '#schema/tables/accounts/webhooks.ts'
import type { PersonalData } from '../../platform/personal-data.ts'

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
	impersonal: [webhooks.webhookEndpoints.payload, webhooks.webhookAttempts.payload].map(
		(column) => [column, 'whether deliveries contain only ids'] as const,
	),
	secretColumns: [webhooks.webhookEndpoints.secret, webhooks.webhookEndpoints.previousSecret],
}
