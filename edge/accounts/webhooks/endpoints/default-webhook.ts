import type { DefaultWebhook } from '../../orgs/default-webhook.ts'
import { endpointStore } from './endpoint-store.ts'
import { checkDefaultEndpoint, saveDefaultEndpoint } from './endpoints.ts'

export const defaultWebhook: DefaultWebhook = {
	check: checkDefaultEndpoint,

	async setUrl(deps, orgId, url) {
		const existing = await endpointStore(deps.db).findDefault(orgId)
		if ((existing?.url ?? null) !== url) await saveDefaultEndpoint(deps, orgId, { url })
	},
}
