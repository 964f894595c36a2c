import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm'
import { orgs } from '#schema/tables/identity.ts'
import { webhookAttempts, webhookDeliveries, webhookEndpoints } from '#schema/tables/webhooks.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { isEnabled } from '../conditions.ts'
import { newestSequence } from '../events/event-store.ts'

export type EndpointRow = typeof webhookEndpoints.$inferSelect
/** The part of an endpoint that its owner chooses. */
export type EndpointOptions = Pick<EndpointRow, 'url' | 'types' | 'payload' | 'ordering' | 'maxInFlight'>
export type NewEndpoint = EndpointOptions &
	Pick<EndpointRow, 'id' | 'orgId' | 'isDefault' | 'secret' | 'status'>
export type EndpointChange = Partial<EndpointOptions & Pick<EndpointRow, 'status'>>

const isEndpoint = (orgId: string, id: string) =>
	and(eq(webhookEndpoints.orgId, orgId), eq(webhookEndpoints.id, id))

/** What an endpoint forgets when it is enabled or works again. */
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
				plannedSequence: newestSequence(orgId),
				createdAt: now,
				updatedAt: now,
			},
			sql`where (select count(*) from ${webhookEndpoints} where ${webhookEndpoints.orgId} = ${orgId}) < ${max} and exists (select 1 from ${orgs} where ${orgs.id} = ${orgId})`,
		).returning()
	},

	/** Switching a disabled endpoint on skips the events of the time in which it was disabled. */
	updateStatement(orgId: string, id: string, change: EndpointChange, now: number) {
		const { plannedSequence, status } = webhookEndpoints
		const skipped = sql<number>`iif(${status} = 'disabled', ${newestSequence(orgId)}, ${plannedSequence})`
		return db
			.update(webhookEndpoints)
			.set({
				...change,
				...(change.status && { ...healthy, plannedSequence: skipped }),
				updatedAt: now,
			})
			.where(isEndpoint(orgId, id))
			.returning()
	},

	/** Changes nothing if the former secret still signs, unless `force` is set. */
	async rotateSecret(
		orgId: string,
		id: string,
		{ secret, previousEndsAt, force }: { secret: string; previousEndsAt: number; force: boolean },
		now: number,
	): Promise<EndpointRow | undefined> {
		const isSettled = sql`coalesce(${webhookEndpoints.previousSecretEndsAt}, 0) <= ${now}`
		const [row] = await db
			.update(webhookEndpoints)
			.set({
				secret,
				previousSecret: sql`${webhookEndpoints.secret}`,
				previousSecretEndsAt: previousEndsAt,
				updatedAt: now,
			})
			.where(and(isEndpoint(orgId, id), force ? undefined : isSettled))
			.returning()
		return row
	},

	async delete(orgId: string, id: string): Promise<EndpointRow | undefined> {
		const isOwn = sql`exists (select 1 from webhook_endpoints as endpoint where endpoint.id = ${id} and endpoint.org_id = ${orgId})`
		const { endpointDeleted } = await batch(db, {
			deliveriesDeleted: db.delete(webhookDeliveries).where(and(eq(webhookDeliveries.endpointId, id), isOwn)),
			attemptsDeleted: db.delete(webhookAttempts).where(and(eq(webhookAttempts.endpointId, id), isOwn)),
			endpointDeleted: db.delete(webhookEndpoints).where(isEndpoint(orgId, id)).returning(),
			urlCleared: this.mirrorUrlStatement(orgId),
		})
		return endpointDeleted[0]
	},

	/** Copies the URL of the default endpoint to the organization. Put it after each change of that endpoint. */
	mirrorUrlStatement(orgId: string) {
		const url = sql`(select endpoint.url from webhook_endpoints as endpoint where endpoint.org_id = ${orgId} and endpoint.is_default = 1)`
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

	async listWakes(ids: readonly string[]): Promise<{ endpointId: string; isFailing: boolean }[]> {
		const rows = await db
			.select({ endpointId: webhookEndpoints.id, failures: webhookEndpoints.failures })
			.from(webhookEndpoints)
			.where(sql`${webhookEndpoints.id} in (select value from json_each(${JSON.stringify(ids)}))`)
		return rows.map(({ endpointId, failures }) => ({ endpointId, isFailing: failures > 0 }))
	},

	noteNoticeStatement(id: string, notice: number) {
		return db
			.update(webhookEndpoints)
			.set({ noticesSent: notice })
			.where(and(eq(webhookEndpoints.id, id), isEnabled, sql`${webhookEndpoints.noticesSent} < ${notice}`))
	},

	/** Lists enabled endpoints that have failed since before an instant. */
	listFailingSince(before: number, noticesSent: number): Promise<EndpointRow[]> {
		return db
			.select()
			.from(webhookEndpoints)
			.where(
				and(
					isNotNull(webhookEndpoints.failingSince),
					sql`${webhookEndpoints.failingSince} <= ${before}`,
					eq(webhookEndpoints.status, 'enabled'),
					sql`${webhookEndpoints.noticesSent} < ${noticesSent}`,
					gt(webhookEndpoints.failures, 0),
				),
			)
	},
})
