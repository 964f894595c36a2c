import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { PublicEventType } from '#schema/contract/public-events.ts'
import { createdAt, instant } from '../columns.ts'

/** The addresses to which the public events of organizations are delivered. */
export const webhookEndpoints = sqliteTable(
	'webhook_endpoints',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		/** The endpoint of `/webhooks/config` and of the organization's `webhookUrl`; at most one. */
		isDefault: integer({ mode: 'boolean' }).notNull().default(false),
		url: text().notNull(),
		/** null for all types. */
		types: text({ mode: 'json' }).$type<PublicEventType[]>(),
		payload: text({ enum: ['full', 'thin'] }).notNull(),
		ordering: text({ enum: ['none', 'resource'] }).notNull(),
		maxInFlight: integer().notNull(),
		status: text({ enum: ['enabled', 'paused', 'disabled'] }).notNull(),
		/** Why deliveries are switched off; null unless `disabled`. */
		statusReason: text(),
		/** The signing secret, sealed. */
		secret: text().notNull(),
		/** The former secret, which also signs until `previous_secret_ends_at`. */
		previousSecret: text(),
		previousSecretEndsAt: instant(),
		/** The newest event of the organization for which deliveries were planned. */
		plannedSequence: integer().notNull(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		/** Failed attempts since the last success. */
		failures: integer().notNull().default(0),
		/** No attempt is made before this instant. */
		nextAttemptAt: instant().notNull().default(0),
		failingSince: instant(),
		lastSuccessAt: instant(),
		lastFailureAt: instant(),
		lastTestAt: instant().notNull().default(0),
		/** The last mail about the current failures: 1 when they began, 2 a day before deliveries are switched off. */
		noticesSent: integer().notNull().default(0),
	},
	(t) => [
		uniqueIndex('webhook_endpoints_default').on(t.orgId).where(sql`is_default = 1`),
		index('webhook_endpoints_org').on(t.orgId, t.createdAt, t.id),
		index('webhook_endpoints_failing').on(t.failingSince, t.id).where(sql`failing_since is not null`),
	],
)

/** One event for one endpoint. */
export const webhookDeliveries = sqliteTable(
	'webhook_deliveries',
	{
		endpointId: text().notNull(),
		eventId: text().notNull(),
		orgId: text().notNull(),
		sequence: integer().notNull(),
		type: text().$type<PublicEventType>().notNull(),
		resource: text().notNull(),
		state: text({ enum: ['pending', 'delivered', 'failed'] }).notNull(),
		dueAt: instant().notNull(),
		/** Until when one consumer may attempt the delivery; null while none does. */
		leaseUntil: instant(),
		/** Raised by each claim, so that a consumer that lost its lease records nothing. */
		epoch: integer().notNull().default(0),
		attempts: integer().notNull().default(0),
		/** The number of attempts when the delivery was last requested; the schedule of waits starts there. */
		attemptsBefore: integer().notNull().default(0),
		/** The status of the last response; null if there was none. */
		lastStatus: integer(),
		createdAt: createdAt(),
		endedAt: instant(),
	},
	(t) => [
		primaryKey({ columns: [t.endpointId, t.eventId] }),
		index('webhook_deliveries_due').on(t.endpointId, t.dueAt, t.sequence).where(sql`state = 'pending'`),
		index('webhook_deliveries_resource')
			.on(t.endpointId, t.resource, t.sequence)
			.where(sql`state = 'pending'`),
		index('webhook_deliveries_leased').on(t.endpointId, t.leaseUntil).where(sql`lease_until is not null`),
		index('webhook_deliveries_log').on(t.orgId, t.sequence, t.endpointId),
		index('webhook_deliveries_failed').on(t.endpointId).where(sql`state = 'failed'`),
		index('webhook_deliveries_event').on(t.eventId),
		index('webhook_deliveries_created').on(t.createdAt),
	],
)

/** One HTTP request of a delivery. */
export const webhookAttempts = sqliteTable(
	'webhook_attempts',
	{
		endpointId: text().notNull(),
		eventId: text().notNull(),
		number: integer().notNull(),
		orgId: text().notNull(),
		/** The URL to which the request was sent; that of the endpoint may have changed since. */
		url: text().notNull(),
		payload: text({ enum: ['full', 'thin'] }).notNull(),
		startedAt: instant().notNull(),
		durationMs: integer().notNull(),
		status: integer(),
		/** Why the attempt failed; null if it succeeded. */
		problem: text(),
		/** The first bytes of the response body. */
		responseText: text(),
	},
	(t) => [
		primaryKey({ columns: [t.endpointId, t.eventId, t.number] }),
		index('webhook_attempts_started').on(t.startedAt),
		index('webhook_attempts_org').on(t.orgId),
	],
)
