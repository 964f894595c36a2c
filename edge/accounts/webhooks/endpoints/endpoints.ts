import { MAX_ENDPOINTS } from '#schema/contract/accounts/webhooks/endpoints.ts'
import { webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import { requireUnchanged } from '../../../http/entity-tag.ts'
import { AppError, notFoundError } from '../../../http/errors.ts'
import { requireSecrets } from '../../../http/require-secrets.ts'
import { auditIfChangedStatement } from '../../../platform/audit/audit.ts'
import { DAY } from '../../../platform/clock.ts'
import { batch } from '../../../platform/database/batch.ts'
import { hasValues } from '../../../platform/database/has-values.ts'
import { newId } from '../../../platform/database/ids.ts'
import { isUniqueViolation } from '../../../platform/database/unique-violation.ts'
import type { Deps } from '../../../platform/deps.ts'
import { planEndpoints } from '../planning/plan.ts'
import {
	type EndpointChange,
	type EndpointOptions,
	type EndpointRow,
	endpointStore,
	pickEditableColumns,
} from './endpoint-store.ts'
import { requireEndpointUrl } from './endpoint-url.ts'
import { newWebhookSecret, sealWebhookSecret } from './secret.ts'
import { readState } from './view.ts'

/** How long the former secret signs after a rotation. */
const PREVIOUS_SECRET_MS = DAY

const endpointNotFoundError = () => notFoundError('webhook endpoint')
const noDefaultError = () =>
	new AppError('not_found', 'this organization has no default webhook endpoint; set its url first')

const tooManyEndpointsError = () =>
	new AppError('conflict', `an organization has at most ${MAX_ENDPOINTS} webhook endpoints; delete one first`)

export type EndpointAndSecret = { endpoint: EndpointRow; secret: string }

export async function getEndpoint({ db }: Deps, orgId: string, id: string): Promise<EndpointRow> {
	const row = await endpointStore(db).find(orgId, id)
	if (!row) throw endpointNotFoundError()
	return row
}

export async function getDefaultEndpoint({ db }: Deps, orgId: string): Promise<EndpointRow> {
	const row = await endpointStore(db).findDefault(orgId)
	if (!row) throw noDefaultError()
	return row
}

export async function createEndpoint(
	deps: Deps,
	orgId: string,
	options: EndpointOptions,
	more: Partial<Pick<EndpointRow, 'isDefault' | 'status'>> = {},
): Promise<EndpointAndSecret> {
	const { db, work, now } = deps
	const url = requireEndpointUrl(deps, options.url)
	const { isDefault = false, status = 'enabled' } = more
	const id = newId('whe', now)
	const secret = newWebhookSecret()
	const sealed = await sealWebhookSecret(deps, secret, id)
	const store = endpointStore(db)
	const { endpointInserted } = await batch(db, {
		endpointInserted: store.insertStatement(
			{ ...options, url, id, orgId, isDefault, status, secret: sealed },
			MAX_ENDPOINTS,
			now,
		),
		entryWritten: auditIfChangedStatement(work, {
			action: 'webhook.created',
			orgId,
			target: { kind: 'webhook', id },
			details: { isDefault, types: options.types },
		}),
		urlMirrored: isDefault ? store.mirrorUrlStatement(orgId) : null,
	})
	const [endpoint] = endpointInserted
	if (!endpoint) throw tooManyEndpointsError()
	return { endpoint, secret }
}

/**
 * Updates an endpoint. Enabling an endpoint starts its waiting deliveries. With `tags`, changes only an endpoint that still
 * has one of these entity tags.
 */
export async function updateEndpoint(
	deps: Deps,
	orgId: string,
	id: string,
	change: EndpointChange,
	tags: readonly string[] | null = null,
): Promise<EndpointRow> {
	const { db, work, now } = deps
	const url = change.url === undefined ? undefined : requireEndpointUrl(deps, change.url)
	const store = endpointStore(db)
	const before = tags && (await getEndpoint(deps, orgId, id))
	if (before) await requireUnchanged(tags, readState(before))
	const changed = { ...change, ...(url !== undefined && { url }) }
	const condition = before ? hasValues(webhookEndpoints, pickEditableColumns(before)) : undefined
	const {
		endpointUpdated: [endpoint],
	} = await batch(db, {
		endpointUpdated: store.updateStatement(orgId, id, changed, now, condition),
		entryWritten: auditIfChangedStatement(work, {
			action: 'webhook.updated',
			orgId,
			target: { kind: 'webhook', id },
			details: { changed: Object.keys(change) },
		}),
		urlMirrored: url === undefined ? null : store.mirrorUrlStatement(orgId),
	})
	if (!endpoint && tags) await requireUnchanged(tags, readState(await getEndpoint(deps, orgId, id)))
	if (!endpoint) throw endpointNotFoundError()
	if (change.status === 'enabled') deps.defer(planEndpoints(deps, [id]))
	return endpoint
}

/** Deletes an endpoint, and its rows after the response. If that ends early, the rest is deleted as it grows old. */
export async function deleteEndpoint(deps: Deps, orgId: string, id: string): Promise<void> {
	if (!(await endpointStore(deps.db).delete(deps.work, orgId, id))) throw endpointNotFoundError()
	deps.defer(endpointStore(deps.db).clear(id))
}

export async function rotateSecret(
	deps: Deps,
	orgId: string,
	id: string,
	force: boolean,
): Promise<EndpointAndSecret> {
	const { db, work, now } = deps
	await getEndpoint(deps, orgId, id)
	const secret = newWebhookSecret()
	const sealed = await sealWebhookSecret(deps, secret, id)
	const rotation = { secret: sealed, previousEndsAt: now + PREVIOUS_SECRET_MS, force }
	const endpoint = await endpointStore(db).rotateSecret(work, orgId, id, rotation)
	if (!endpoint)
		throw new AppError(
			'conflict',
			'the former secret stays valid for up to 24 hours; once receivers have the current one, set force to end it now',
		)
	return { endpoint, secret }
}

/** Throws whatever creating or updating the default endpoint would throw, before other changes are saved. */
export async function checkDefaultEndpoint(deps: Deps, orgId: string, url: string): Promise<void> {
	requireEndpointUrl(deps, url, 'webhookUrl')
	requireSecrets(deps, 'webhooks')
	const endpoints = await endpointStore(deps.db).list(orgId)
	if (endpoints.length >= MAX_ENDPOINTS && !endpoints.some(({ isDefault }) => isDefault))
		throw tooManyEndpointsError()
}

type ConfigChange = Omit<EndpointChange, 'url'> & { url?: string | null }

/** Creates, updates or deletes the default endpoint. Returns its secret only if it was created. */
export async function saveDefaultEndpoint(
	deps: Deps,
	orgId: string,
	{ url, ...change }: ConfigChange,
): Promise<{ endpoint: EndpointRow | null; secret?: string }> {
	const existing = await endpointStore(deps.db).findDefault(orgId)
	if (url === null) {
		if (existing) await deleteEndpoint(deps, orgId, existing.id)
		return { endpoint: null }
	}
	const changed = { ...change, ...(url !== undefined && { url }) }
	if (existing) return { endpoint: await updateEndpoint(deps, orgId, existing.id, changed) }
	if (url === undefined) throw noDefaultError()
	const { types = null, payload = 'full', ordering = 'none', maxInFlight = 5, status = 'enabled' } = change
	try {
		return await createEndpoint(
			deps,
			orgId,
			{ url, types, payload, ordering, maxInFlight },
			{ isDefault: true, status },
		)
	} catch (error) {
		if (isUniqueViolation(error))
			throw new AppError('conflict', 'another request created the default endpoint; send yours again')
		throw error
	}
}
