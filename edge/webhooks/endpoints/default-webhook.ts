import type { DefaultWebhook } from '../../orgs/default-webhook.ts'
import { endpointStore } from './endpoint-store.ts'
import { requireEndpointUrl } from './endpoint-url.ts'
import { saveDefaultEndpoint } from './endpoints.ts'

export const defaultWebhook: DefaultWebhook = {
	requireUrl: (deps, url) => void requireEndpointUrl(deps, url, 'webhookUrl'),

	async setUrl(deps, orgId, url) {
		const existing = await endpointStore(deps.db).findDefault(orgId)
		if ((existing?.url ?? null) !== url) await saveDefaultEndpoint(deps, orgId, { url })
	},
}
