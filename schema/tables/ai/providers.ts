import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../columns.ts'

/** The providers that organizations use for AI, at most one for each purpose. */
export const aiEngines = sqliteTable(
	'ai_engines',
	{
		orgId: text().notNull(),
		purpose: text({ enum: ['transcription', 'language-model'] }).notNull(),
		provider: text().notNull(),
		baseUrl: text(),
		model: text(),
		language: text(),
		/** Millionths of a dollar for a minute of audio; null if unknown. */
		pricePerMinuteMicros: integer(),
		/** Millionths of a dollar for a million tokens that a language model reads or writes; null if unknown. */
		inputPriceMicros: integer(),
		outputPriceMicros: integer(),
		/** The key of the provider, sealed for this organization, provider and purpose. */
		sealedKey: text(),
		keyLastFour: text(),
		keyUpdatedAt: instant(),
		/** Raised by each change, so that two changes at once don't mix. */
		version: integer().notNull(),
		updatedAt: instant().notNull(),
	},
	(t) => [primaryKey({ columns: [t.orgId, t.purpose] })],
)

/**
 * What an organization may spend on providers in a month, and what it has reserved and spent in the current one. The rows
 * `installation` and `installation/language-model` have the sums of all calls that the installation pays, of transcription
 * and of language models; their limits are variables.
 */
export const aiBudgets = sqliteTable('ai_budgets', {
	orgId: text().primaryKey(),
	maxAudioMs: integer(),
	maxCostMicros: integer(),
	maxTokens: integer(),
	/** The month (UTC) of the sums, such as `2026-11`. */
	month: text().notNull(),
	audioMs: integer().notNull().default(0),
	costMicros: integer().notNull().default(0),
	tokens: integer().notNull().default(0),
	updatedAt: instant().notNull(),
})

/** Which providers fail for an organization. Without a row, calls are made. */
export const aiBreakers = sqliteTable(
	'ai_breakers',
	{
		orgId: text().notNull(),
		provider: text().notNull(),
		/** Failures since the last success. */
		failures: integer().notNull(),
		/** No call is made before this instant. */
		openUntil: instant().notNull(),
		/** How long the breaker was opened last. */
		openMs: integer().notNull(),
		/** The code and the reason of a final failure, which ends calls until the settings change or the breaker half opens. */
		code: text(),
		reason: text(),
	},
	(t) => [primaryKey({ columns: [t.orgId, t.provider] })],
)

/** Calls of providers, with what they cost. */
export const aiCalls = sqliteTable(
	'ai_calls',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		provider: text().notNull(),
		model: text(),
		/** Whose account of the provider is charged. What the installation pays is also counted in its own budget. */
		payer: text({ enum: ['org', 'installation'] })
			.notNull()
			.default('org'),
		purpose: text({ enum: ['transcription', 'language-model'] })
			.notNull()
			.default('transcription'),
		audioMs: integer().notNull(),
		/** Tokens that a language model read and wrote; reserved while the call runs. */
		tokens: integer().notNull().default(0),
		/** Reserved while the call runs, then what it cost. */
		costMicros: integer().notNull(),
		/** The month in which the call is counted. */
		month: text().notNull(),
		/** `waiting`: the provider will call back. `superseded`: nobody needs the result any more. */
		status: text({ enum: ['running', 'waiting', 'completed', 'failed', 'superseded'] }).notNull(),
		errorCode: text(),
		/** How long the call took. */
		ms: integer(),
		createdAt: createdAt(),
		endedAt: instant(),
		/** The caller's own name of the work, such as a chunk of a video; null if it waits for the result itself. */
		subject: text(),
		/** The caller's number of the attempt. Callbacks that name an older one are ignored. */
		epoch: integer().notNull().default(0),
		/** The provider's id of the work; null until it is known. */
		remoteId: text(),
		/** The language that was asked for. */
		language: text(),
		/** When a `running` or `waiting` call is looked at because nothing was heard. */
		checkAt: instant(),
		checks: integer().notNull().default(0),
		/** Until when one process may hand the outcome over; null if none does. */
		takenUntil: instant(),
	},
	(t) => [
		index('ai_calls_open').on(t.checkAt).where(sql`status in ('running', 'waiting')`),
		index('ai_calls_created').on(t.createdAt),
		index('ai_calls_org').on(t.orgId, t.createdAt),
		index('ai_calls_subject').on(t.subject).where(sql`status in ('running', 'waiting')`),
	],
)

/** Requests of providers about calls. Each is handled once; its body is stored until then. */
export const aiDeliveries = sqliteTable(
	'ai_deliveries',
	{
		callId: text().notNull(),
		/** The `webhook-id`, or the hash of the body for providers that cannot sign. */
		deliveryId: text().notNull(),
		orgId: text().notNull(),
		/** How far the body is believed: signed, under a capability, or not at all, so that the result is fetched. */
		trust: text({ enum: ['signed', 'body', 'hint'] })
			.notNull()
			.default('hint'),
		/** Where the stored body is. */
		bodyKey: text().notNull(),
		receivedAt: instant().notNull(),
		/** When the sweep may send the delivery to the queue again; null once handled. */
		dueAt: instant(),
	},
	(t) => [
		primaryKey({ columns: [t.callId, t.deliveryId] }),
		index('ai_deliveries_due').on(t.dueAt).where(sql`due_at is not null`),
		index('ai_deliveries_received').on(t.receivedAt),
		index('ai_deliveries_org').on(t.orgId),
	],
)
