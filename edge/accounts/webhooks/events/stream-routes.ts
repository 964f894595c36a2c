import * as contract from '#schema/contract/accounts/webhooks/event-stream.ts'
import { type PublicEventType, publicEventTypes } from '#schema/contract/public-events.ts'
import { createStreamToken, readTopics } from '../../../http/live-streams/stream-token.ts'
import { type Route, serve } from '../../../http/route.ts'
import { listReadableTypes } from './readable-types.ts'
import { streamEvents } from './stream-events.ts'

/** Returns undefined for an empty list, which stands for all types. A token may be older than a deployment. */
function toTypes(names: readonly string[]): PublicEventType[] | undefined {
	const types = publicEventTypes.filter((type) => names.includes(type))
	return types.length > 0 ? types : undefined
}

function lastSequenceOf(request: Request): number | null {
	const id = request.headers.get('last-event-id') ?? ''
	return /^\d{1,15}$/.test(id) ? Number(id) : null
}

export const eventStreamRoutes: Route[] = [
	serve(contract.createEventStreamToken, async ({ deps, caller, body: { types: topics }, request }) => {
		listReadableTypes(caller, toTypes(topics))
		return { data: await createStreamToken(deps, contract.streamEvents, request, { topics }) }
	}),

	serve(contract.streamEvents, async ({ deps, caller, query, request, ip, isStillAdmitted }) => {
		const types = toTypes(readTopics(deps, 'types', query.types))
		const after = lastSequenceOf(request) ?? query.after ?? null
		return streamEvents(deps, caller, { types, after, address: ip }, isStillAdmitted)
	}),
]
