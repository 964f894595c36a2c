import type { WebhookDelivery } from '#schema/contract/accounts/webhooks/deliveries.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import type { AttemptRow, DeliveryRow } from './delivery-store.ts'

export const viewDelivery = (row: DeliveryRow): WebhookDelivery => ({
	eventId: row.eventId,
	endpointId: row.endpointId,
	type: row.type,
	sequence: row.sequence,
	status: row.state,
	attempts: row.attempts,
	lastStatus: row.lastStatus,
	nextAttemptAt: row.state === 'pending' ? toIso(row.dueAt) : null,
	createdAt: toIso(row.createdAt),
	endedAt: toIsoOrNull(row.endedAt),
})

export const viewAttempt = ({
	number,
	url,
	payload,
	startedAt,
	durationMs,
	status,
	problem,
	responseText,
}: AttemptRow) => ({
	number,
	url,
	payload,
	startedAt: toIso(startedAt),
	durationMs,
	status,
	problem,
	responseText,
})
