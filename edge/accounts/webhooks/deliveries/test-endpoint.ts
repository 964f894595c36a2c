import { tooManyRequestsError } from '../../../http/errors.ts'
import { SECOND, toIso } from '../../../platform/clock.ts'
import { newId } from '../../../platform/database/ids.ts'
import type { Deps } from '../../../platform/deps.ts'
import { type EndpointRow, endpointStore } from '../endpoints/endpoint-store.ts'
import { attemptDelivery } from './attempt.ts'
import { composeDelivery } from './deliver.ts'

/** Sends a test event at once, whatever the state of the endpoint, and returns what the receiver responded. */
export async function testEndpoint(deps: Deps, endpoint: EndpointRow) {
	const { db, now } = deps
	if (!(await endpointStore(db).admitTest(endpoint.id, now, SECOND))) throw tooManyRequestsError(1)
	const event = {
		id: newId('evt', now),
		type: 'webhook.test' as const,
		timestamp: toIso(now),
		sequence: 0,
		data: { message: 'This is a test. It is not part of the event log.' },
	}
	const { status, durationMs, problem, responseText } = await attemptDelivery(
		deps,
		endpoint,
		...(await composeDelivery(deps, endpoint, event, now)),
	)
	return { delivered: problem === null, status, durationMs, problem, responseText }
}
