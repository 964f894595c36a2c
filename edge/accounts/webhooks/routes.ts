import * as deliveries from '#schema/contract/accounts/webhooks/deliveries.ts'
import * as webhooks from '#schema/contract/accounts/webhooks/endpoints.ts'
import { computeEntityTag, readIfMatch } from '../../http/entity-tag.ts'
import { buildPage, decodeCursor } from '../../http/page.ts'
import { type Route, serve } from '../../http/route.ts'
import { getEventLog, recoverEvents, retryEvent } from './deliveries/log.ts'
import { deliveryLogStore } from './deliveries/log-store.ts'
import { testEndpoint } from './deliveries/test-endpoint.ts'
import { viewAttempt, viewDelivery } from './deliveries/view.ts'
import { endpointStore } from './endpoints/endpoint-store.ts'
import {
	createEndpoint,
	deleteEndpoint,
	getDefaultEndpoint,
	getEndpoint,
	rotateSecret,
	saveDefaultEndpoint,
	updateEndpoint,
} from './endpoints/endpoints.ts'
import { readState, toEndpointChange, viewEndpoint } from './endpoints/view.ts'
import { toEnvelope } from './events/envelope.ts'
import { readEvents } from './events/read-events.ts'
import { listReadableTypes } from './events/readable-types.ts'
import { eventStreamRoutes } from './events/stream-routes.ts'

const instantOf = (text: string | undefined): number | null => (text === undefined ? null : Date.parse(text))

export const webhookRoutes: Route[] = [
	serve(webhooks.getWebhookConfig, async ({ deps, caller }) => {
		const row = await endpointStore(deps.db).findDefault(caller.org.id)
		return { data: row ? viewEndpoint(row, deps.now) : null }
	}),

	serve(webhooks.updateWebhookConfig, async ({ deps, caller, body: { url, ...options } }) => {
		const change = { ...toEndpointChange(options), ...(url !== undefined && { url }) }
		const { endpoint, secret } = await saveDefaultEndpoint(deps, caller.org.id, change)
		return { data: endpoint && { ...viewEndpoint(endpoint, deps.now), secret } }
	}),

	serve(webhooks.testWebhookConfig, async ({ deps, caller }) => ({
		data: await testEndpoint(deps, await getDefaultEndpoint(deps, caller.org.id)),
	})),

	serve(webhooks.listWebhookEndpoints, async ({ deps, caller }) => {
		const rows = await endpointStore(deps.db).list(caller.org.id)
		return { data: rows.map((row) => viewEndpoint(row, deps.now)) }
	}),

	serve(webhooks.createWebhookEndpoint, async ({ deps, caller, body: { order, ...options } }) => {
		const { endpoint, secret } = await createEndpoint(deps, caller.org.id, { ...options, ordering: order })
		return { data: { ...viewEndpoint(endpoint, deps.now), secret } }
	}),

	serve(webhooks.getWebhookEndpoint, async ({ deps, caller, params, headers }) => {
		const endpoint = await getEndpoint(deps, caller.org.id, params.endpointId)
		headers.set('etag', await computeEntityTag(readState(endpoint)))
		return { data: viewEndpoint(endpoint, deps.now) }
	}),

	serve(webhooks.updateWebhookEndpoint, async ({ deps, caller, params, body, request, headers }) => {
		const tags = readIfMatch(webhooks.updateWebhookEndpoint, request)
		const change = toEndpointChange(body)
		const endpoint = await updateEndpoint(deps, caller.org.id, params.endpointId, change, tags)
		headers.set('etag', await computeEntityTag(readState(endpoint)))
		return { data: viewEndpoint(endpoint, deps.now) }
	}),

	serve(webhooks.deleteWebhookEndpoint, async ({ deps, caller, params }) => {
		await deleteEndpoint(deps, caller.org.id, params.endpointId)
		return { data: { id: params.endpointId, deleted: true as const } }
	}),

	serve(webhooks.rotateWebhookSecret, async ({ deps, caller, params, body }) => {
		const { endpoint, secret } = await rotateSecret(
			deps,
			caller.org.id,
			params.endpointId,
			body?.force ?? false,
		)
		return { data: { ...viewEndpoint(endpoint, deps.now), secret } }
	}),

	serve(webhooks.testWebhookEndpoint, async ({ deps, caller, params }) => ({
		data: await testEndpoint(deps, await getEndpoint(deps, caller.org.id, params.endpointId)),
	})),

	serve(deliveries.listWebhookEvents, async ({ deps, caller, query, request, headers }) => {
		const { type, status, endpointId, since, until } = query
		const filter = { type, status, endpointId, since: instantOf(since), until: instantOf(until) }
		const rows = await deliveryLogStore(deps.db).list(caller.org.id, filter, query.limit, decodeCursor(query))
		const page = buildPage(rows, query, (row) => [row.sequence, row.endpointId], request, headers)
		return { data: page.map(viewDelivery) }
	}),

	serve(deliveries.getWebhookEvent, async ({ deps, caller, params }) => {
		const { event, deliveries } = await getEventLog(deps, caller.org.id, params.eventId)
		const view = deliveries.map(({ delivery, attempts }) => ({
			...viewDelivery(delivery),
			attemptLog: attempts.map(viewAttempt),
		}))
		return { data: { event: toEnvelope(event), deliveries: view } }
	}),

	serve(deliveries.retryWebhookEvent, async ({ deps, caller, params, body }) => {
		const restarted = await retryEvent(deps, caller.org.id, params.eventId, body?.endpointId)
		return { data: restarted.map(viewDelivery) }
	}),

	serve(deliveries.recoverWebhookEvents, async ({ deps, caller, body: { since, until, ...which } }) => {
		const period = { since: Date.parse(since), ...(until !== undefined && { until: Date.parse(until) }) }
		return { data: await recoverEvents(deps, caller.org.id, { ...which, ...period }) }
	}),

	serve(deliveries.readEvents, ({ deps, caller, query, request }) =>
		readEvents(
			deps,
			caller.org.id,
			{ ...query, types: listReadableTypes(caller, query.types) },
			request.signal,
		),
	),
	...eventStreamRoutes,
]
