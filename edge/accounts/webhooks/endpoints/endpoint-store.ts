import { and, asc, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/accounts/identity.ts'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import { auditIfChangedStatement, runAudited } from '../../../platform/audit/audit.ts'
import { batch } from '../../../platform/database/batch.ts'
import type { Db } from '../../../platform/database/database.ts'
import { insertSelect } from '../../../platform/database/insert-select.ts'
import type { UnitOfWork } from '../../../platform/unit-of-work.ts'
import { isEnabled, isOfActiveOrg } from '../conditions.ts'
import { deleteRows } from '../delete-rows.ts'
import { selectNewestSequence } from '../events/event-store.ts'
import { toWakeMessage, type Wake } from '../planning/wake.ts'

export type EndpointRow = typeof webhookEndpoints.$inferSelect
/** The part of an endpoint that its owner chooses. */
export type EndpointOptions = Pick<EndpointRow, 'url' | 'types' | 'payload' | 'ordering' | 'maxInFlight'>
export type NewEndpoint = EndpointOptions &
	Pick<EndpointRow, 'id' | 'orgId' | 'isDefault' | 'secret' | 'status'>
/** The columns that an update may change. */
export const pickEditableColumns = ({ url, types, payload, ordering, maxInFlight, status }: EndpointRow) => ({
	...{ url, types, payload, ordering, maxInFlight, status },
})

export type EndpointChange = Partial<EndpointOptions & Pick<EndpointRow, 'status'>>

const isEndpoint = (orgId: string, id: string) =>
	and(eq(webhookEndpoints.orgId, orgId), eq(webhookEndpoints.id, id))

/** The columns that are reset when an endpoint is enabled or works again. */
export const healthy = {
	failures: 0,
	nextAttemptAt: 0,
	failingSince: null,
	noticesSent: 0,
	statusReason: null,
} as const satisfies Partial<EndpointRow>

export const endpointStore = (db: Db) => ({
	list(orgId: string): Promise<EndpointRow[]> {
		return db
			.select()
			.from(webhookEndpoints)
			.where(eq(webhookEndpoints.orgId, orgId))
			.orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id))
	},

	async find(orgId: string, id: string): Promise<EndpointRow | undefined> {
		const [row] = await db.select().from(webhookEndpoints).where(isEndpoint(orgId, id))
		return row
	},

	async findById(id: string): Promise<EndpointRow | undefined> {
		const [row] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
		return row
	},

	async findDefault(orgId: string): Promise<EndpointRow | undefined> {
		const [row] = await db
			.select()
			.from(webhookEndpoints)
			.where(and(eq(webhookEndpoints.orgId, orgId), sql`${webhookEndpoints.isDefault} = 1`))
		return row
	},

	/** Inserts nothing if the organization has `max` endpoints. The endpoint gets the events from now on. */
	insertStatement(row: NewEndpoint, max: number, now: number) {
		const { id, orgId, isDefault, url, types, payload, ordering, maxInFlight, secret, status } = row
		return insertSelect(
			db,
			webhookEndpoints,
			{
				...{ id, orgId, isDefault, url, types, payload, ordering, maxInFlight, secret, status },
				plannedSequence: selectNewestSequence(orgId),
				createdAt: now,
				updatedAt: now,
			},
			sql`
				where (select count(*) from ${webhookEndpoints} where ${webhookEndpoints.orgId} = ${orgId}) < ${max}
					and exists (select 1 from ${orgs} where ${orgs.id} = ${orgId})
			`,
		).returning()
	},

	/**
	 * Enabling a disabled endpoint skips the events since it was disabled. Failures of a former URL don't count for a
	 * new one.
	 */
	updateStatement(orgId: string, id: string, change: EndpointChange, now: number, condition?: SQL) {
		const { plannedSequence, status } = webhookEndpoints
		const skipped = sql<number>`iif(${status} = 'disabled', ${selectNewestSequence(orgId)}, ${plannedSequence})`
		return db
			.update(webhookEndpoints)
			.set({
				...change,
				...(change.url !== undefined && { ...healthy, statusReason: sql`${webhookEndpoints.statusReason}` }),
				...(change.status && { ...healthy, plannedSequence: skipped }),
				updatedAt: now,
			})
			.where(and(isEndpoint(orgId, id), condition))
			.returning()
	},

	/** Changes nothing while the former secret still signs, unless `force` is set. */
	async rotateSecret(
		work: UnitOfWork,
		orgId: string,
		id: string,
		{ secret, previousEndsAt, force }: { secret: string; previousEndsAt: number; force: boolean },
	): Promise<EndpointRow | undefined> {
		const isSettled = sql`coalesce(${webhookEndpoints.previousSecretEndsAt}, 0) <= ${work.now}`
		const [row] = await runAudited(
			work,
			db
				.update(webhookEndpoints)
				.set({
					secret,
					previousSecret: sql`${webhookEndpoints.secret}`,
					previousSecretEndsAt: previousEndsAt,
					updatedAt: work.now,
				})
				.where(and(isEndpoint(orgId, id), force ? undefined : isSettled))
				.returning(),
			{
				action: 'webhook.secret_rotated',
				orgId,
				target: { kind: 'webhook', id },
				details: { force },
			},
		)
		return row
	},

	/** Returns whether the endpoint existed. */
	async delete(work: UnitOfWork, orgId: string, id: string): Promise<boolean> {
		const { endpointDeleted } = await batch(db, {
			endpointDeleted: db
				.delete(webhookEndpoints)
				.where(isEndpoint(orgId, id))
				.returning({ id: webhookEndpoints.id }),
			entryWritten: auditIfChangedStatement(work, {
				action: 'webhook.deleted',
				orgId,
				target: { kind: 'webhook', id },
			}),
			urlCleared: this.mirrorUrlStatement(orgId),
		})
		return endpointDeleted.length === 1
	},

	/** Deletes the deliveries and attempts of an endpoint that is deleted. */
	clear(id: string): Promise<void> {
		return deleteRows(db, {
			deliveries: eq(webhookDeliveries.endpointId, id),
			attempts: eq(webhookAttempts.endpointId, id),
		})
	},

	/** Copies the URL of the default endpoint to the organization. Must follow each change of that endpoint. */
	mirrorUrlStatement(orgId: string) {
		const url = sql`(
			select endpoint.url from webhook_endpoints as endpoint
			where endpoint.org_id = ${orgId} and endpoint.is_default = 1
		)`
		return db
			.update(orgs)
			.set({ webhookUrl: url })
			.where(and(eq(orgs.id, orgId), sql`${orgs.webhookUrl} is not ${url}`))
	},

	/** Returns false if another test was sent less than `apartMs` ago. */
	async admitTest(id: string, now: number, apartMs: number): Promise<boolean> {
		const rows = await db
			.update(webhookEndpoints)
			.set({ lastTestAt: now })
			.where(and(eq(webhookEndpoints.id, id), sql`${webhookEndpoints.lastTestAt} <= ${now - apartMs}`))
			.returning({ id: webhookEndpoints.id })
		return rows.length === 1
	},

	async listWakes(ids: readonly string[]): Promise<Wake[]> {
		const rows = await db
			.select({ endpointId: webhookEndpoints.id, failures: webhookEndpoints.failures })
			.from(webhookEndpoints)
			.where(sql`${webhookEndpoints.id} in (select value from json_each(${JSON.stringify(ids)}))`)
		return rows.map(toWakeMessage)
	},

	noteNoticeStatement(id: string, before: number, notice: number) {
		return db
			.update(webhookEndpoints)
			.set({ noticesSent: notice })
			.where(and(eq(webhookEndpoints.id, id), needsNotice(before, notice)))
	},

	/** Lists enabled endpoints that have failed since before an instant, and whose owners have no notice yet. */
	listNeedingNotice(
		before: number,
		notice: number,
		limit: number,
	): Promise<Pick<EndpointRow, 'id' | 'orgId'>[]> {
		return db
			.select({ id: webhookEndpoints.id, orgId: webhookEndpoints.orgId })
			.from(webhookEndpoints)
			.where(needsNotice(before, notice))
			.limit(limit)
	},
})

const needsNotice = (before: number, notice: number) =>
	and(
		isNotNull(webhookEndpoints.failingSince),
		sql`${webhookEndpoints.failingSince} <= ${before}`,
		isEnabled,
		isOfActiveOrg,
		sql`${webhookEndpoints.noticesSent} < ${notice}`,
	)
