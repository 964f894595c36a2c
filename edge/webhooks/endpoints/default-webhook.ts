import type { DefaultWebhook } from '../../orgs/default-webhook.ts'
import { endpointStore } from './endpoint-store.ts'
import { requireEndpointUrl } from './endpoint-url.ts'
import { saveDefaultEndpoint } from './endpoints.ts'

export const defaultWebhook: DefaultWebhook = {
	async setUrl(deps, orgId, url) {
		// Also for a URL that stays the same, because the configuration of the installation may have changed.
		if (url !== null) requireEndpointUrl(deps, url, 'webhookUrl')
		const existing = await endpointStore(deps.db).findDefault(orgId)
		if ((existing?.url ?? null) !== url) await saveDefaultEndpoint(deps, orgId, { url })
	},
}
