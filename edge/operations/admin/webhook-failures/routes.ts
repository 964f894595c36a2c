import * as contract from '#schema/contract/operations/admin/webhook-failures.ts'
import { buildPage, decodeCursor } from '../../../http/page.ts'
import { type Route, serve } from '../../../http/route.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import { recoverFailingEndpoint } from './recover.ts'
import { webhookFailureStore } from './store.ts'

export const webhookFailureRoutes: Route[] = [
	serve(contract.listWebhookFailures, async ({ deps, query, request, headers }) => {
		const rows = await webhookFailureStore(deps.db).list(query.limit, decodeCursor(query))
		const page = buildPage(
			rows,
			query,
			({ endpoint }) => [endpoint.failingSince ?? 0, endpoint.id],
			request,
			headers,
		)
		return {
			data: page.map(({ endpoint, failed, pending }) => ({
				endpointId: endpoint.id,
				orgId: endpoint.orgId,
				origin: new URL(endpoint.url).origin,
				status: endpoint.status,
				statusReason: endpoint.statusReason,
				failures: endpoint.failures,
				failedDeliveries: failed,
				pendingDeliveries: pending,
				failingSince: toIso(endpoint.failingSince ?? 0),
				lastSuccessAt: toIsoOrNull(endpoint.lastSuccessAt),
				lastFailureAt: toIsoOrNull(endpoint.lastFailureAt),
				nextAttemptAt: toIsoOrNull(endpoint.nextAttemptAt || null),
			})),
		}
	}),

	serve(contract.recoverWebhookFailures, async ({ deps, params, body: { since, ...rest } }) => {
		const recovery = { ...rest, since: since === undefined ? undefined : Date.parse(since) }
		const found = await recoverFailingEndpoint(deps, params.endpointId, recovery)
		return { data: { ...found, since: toIso(found.since) } }
	}),
]
