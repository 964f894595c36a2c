import type { WebhookEndpoint } from '#schema/contract/accounts/webhooks/endpoints.ts'
import type { State } from '../../../http/entity-tag.ts'
import { omitUndefined } from '../../../http/omit-undefined.ts'
import { toIso, toIsoOrNull } from '../../../platform/clock.ts'
import { type EndpointChange, type EndpointRow, pickEditableColumns } from './endpoint-store.ts'

export const viewEndpoint = (row: EndpointRow, now: number): WebhookEndpoint => ({
	id: row.id,
	url: row.url,
	types: row.types,
	payload: row.payload,
	order: row.ordering,
	maxInFlight: row.maxInFlight,
	status: row.status,
	statusReason: row.statusReason,
	isDefault: row.isDefault,
	failingSince: toIsoOrNull(row.failingSince),
	lastSuccessAt: toIsoOrNull(row.lastSuccessAt),
	lastFailureAt: toIsoOrNull(row.lastFailureAt),
	nextAttemptAt: row.nextAttemptAt > now ? toIso(row.nextAttemptAt) : null,
	previousSecretEndsAt: toIsoOrNull(
		row.previousSecretEndsAt !== null && row.previousSecretEndsAt > now ? row.previousSecretEndsAt : null,
	),
	createdAt: toIso(row.createdAt),
	updatedAt: toIso(row.updatedAt),
})

type RequestedOptions = {
	[Name in 'url' | 'types' | 'payload' | 'maxInFlight' | 'status']?: EndpointChange[Name] | undefined
} & { order?: EndpointChange['ordering'] | undefined }

/** Converts a request to changed columns. Omitted fields stay unchanged. */
export function toEndpointChange({ order, ...others }: RequestedOptions): EndpointChange {
	return omitUndefined({ ...others, ordering: order })
}

/** Returns the columns that an update may change, under the names of their fields. */
export const readState = (row: EndpointRow): State => {
	const { ordering: order, ...columns } = pickEditableColumns(row)
	return { ...columns, order }
}
