import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { VideoCodec } from '#schema/contract/video/tasks.ts'
import { createdAt, instant } from './columns.ts'

/** One row is one person, for videos, communities and account deletion alike. Ids are never reused. */
export const users = sqliteTable(
	'users',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		email: text().notNull(),
		name: text().notNull(),
		/** When its owner proved to read mail sent to `email`; null while anybody may have typed it in. */
		emailVerifiedAt: instant(),
		/** PHC string; null for someone who signs in with codes only. */
		passwordHash: text(),
		/** Raised to make every token given out so far worthless. */
		tokenVersion: integer().notNull().default(1),
		isSuperadmin: integer({ mode: 'boolean' }).notNull().default(false),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		/** The first name of an account that was renamed: the organization of the sign-up is named after it. */
		signupName: text(),
	},
	(t) => [uniqueIndex('users_email').on(t.email)],
)

export const sessions = sqliteTable(
	'sessions',
	{
		id: text().primaryKey(),
		userId: integer().notNull(),
		userAgent: text().notNull(),
		ip: text().notNull(),
		/** The last proof was a one-time code: for a while it may set a password without knowing the old one. */
		byCode: integer({ mode: 'boolean' }).notNull(),
		createdAt: createdAt(),
		lastSeenAt: instant().notNull(),
		expiresAt: instant().notNull(),
		/** When the person last showed their password or a one-time code. */
		provedAt: instant().notNull().default(0),
		/** What the next renewal has to show; used once, then replaced. */
		renewalId: text().notNull().default(''),
		/** The one before it, for a client that lost the answer and asks again. */
		formerRenewalId: text(),
		renewedAt: instant(),
	},
	(t) => [index('sessions_user').on(t.userId, t.createdAt), index('sessions_expiry').on(t.expiresAt)],
)

/** Codes are kept for a day although they work for ten minutes: the send limits are counted from these rows. */
export const otpCodes = sqliteTable(
	'otp_codes',
	{
		id: text().primaryKey(),
		email: text().notNull(),
		codeHash: text().notNull(),
		tries: integer().notNull().default(0),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
		consumedAt: instant(),
		/** Keyed hash of the network or the known device that asked for it: each has send limits of its own. */
		asker: text().notNull().default(''),
	},
	(t) => [index('otp_codes_email').on(t.email, t.createdAt), index('otp_codes_created').on(t.createdAt)],
)

/** Codes that a signed-in person asked for, to verify or change the address. Kept for a day, as those above are. */
export const addressCodes = sqliteTable(
	'address_codes',
	{
		id: text().primaryKey(),
		userId: integer().notNull(),
		purpose: text({ enum: ['verify', 'change-from', 'change-to'] }).notNull(),
		/** Where it was sent. */
		email: text().notNull(),
		codeHash: text().notNull(),
		tries: integer().notNull().default(0),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
		consumedAt: instant(),
	},
	(t) => [
		index('address_codes_user').on(t.userId, t.purpose, t.createdAt),
		index('address_codes_email').on(t.email, t.createdAt),
		index('address_codes_created').on(t.createdAt),
	],
)

/** Networks and browsers that an account signed in from before: a sign-in from any other is notified by mail. */
export const signInOrigins = sqliteTable(
	'sign_in_origins',
	{
		userId: integer().notNull(),
		/** A keyed hash of a network or a browser. */
		originHash: text().notNull(),
		/** The sign-in that came from there first. */
		firstSessionId: text().notNull(),
		lastSeenAt: instant().notNull(),
	},
	(t) => [
		uniqueIndex('sign_in_origins_key').on(t.userId, t.originHash),
		index('sign_in_origins_seen').on(t.lastSeenAt),
	],
)

/** Exact counters for what must not be guessed: one row per subject and window. */
export const attempts = sqliteTable(
	'attempts',
	{
		/** What is counted and for whom, as a keyed hash: no address or IP is kept readable. */
		subject: text().primaryKey(),
		count: integer().notNull(),
		windowEndsAt: instant().notNull(),
		/** No try is admitted before this. */
		nextAt: instant().notNull().default(0),
	},
	(t) => [index('attempts_window').on(t.windowEndsAt)],
)

export const orgs = sqliteTable(
	'orgs',
	{
		id: text().primaryKey(),
		slug: text().notNull(),
		name: text().notNull(),
		tier: text({ enum: ['free', 'pro', 'business', 'self-hosted'] }).notNull(),
		webhookUrl: text(),
		suspendedAt: instant(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		/** What its videos are made in. */
		videoCodecs: text({ mode: 'json' }).$type<VideoCodec[]>().notNull().default(['h264']),
		/** Whose number of organizations it counts to, whoever owns it by now. */
		createdByUserId: integer(),
	},
	(t) => [uniqueIndex('orgs_slug').on(t.slug), index('orgs_creator').on(t.createdByUserId, t.tier)],
)

export const orgMembers = sqliteTable(
	'org_members',
	{
		orgId: text().notNull(),
		userId: integer().notNull(),
		role: text({ enum: ['owner', 'admin', 'member'] }).notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('org_members_org_user').on(t.orgId, t.userId),
		index('org_members_user').on(t.userId, t.createdAt),
		index('org_members_org_joined').on(t.orgId, t.createdAt, t.userId),
		index('org_members_owners').on(t.orgId).where(sql`role = 'owner'`),
	],
)

export const orgInvitations = sqliteTable(
	'org_invitations',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		email: text().notNull(),
		role: text({ enum: ['owner', 'admin', 'member'] }).notNull(),
		invitedByUserId: integer(),
		/** The link's token, sealed (edge/platform/tokens/link-token.ts), and its hash. */
		nonce: text().notNull(),
		tokenHash: text().notNull(),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
		acceptedAt: instant(),
	},
	(t) => [
		uniqueIndex('org_invitations_token').on(t.tokenHash),
		uniqueIndex('org_invitations_open').on(t.orgId, t.email).where(sql`accepted_at is null`),
		index('org_invitations_org').on(t.orgId, t.createdAt, t.id),
		index('org_invitations_email').on(t.email),
		index('org_invitations_inviter').on(t.invitedByUserId),
	],
)

export const apiKeys = sqliteTable(
	'api_keys',
	{
		id: text().primaryKey(),
		orgId: text().notNull(),
		name: text().notNull(),
		/** SHA-256 of the key; the key itself is shown once and kept nowhere. */
		keyHash: text().notNull(),
		prefix: text().notNull(),
		lastFour: text().notNull(),
		scopes: text({ mode: 'json' }).$type<string[]>().notNull(),
		createdByUserId: integer(),
		createdAt: createdAt(),
		expiresAt: instant(),
		lastUsedAt: instant(),
	},
	(t) => [
		uniqueIndex('api_keys_hash').on(t.keyHash),
		index('api_keys_org').on(t.orgId, t.createdAt, t.id),
		index('api_keys_creator').on(t.createdByUserId),
	],
)

/** Running totals per organization and month (`2026-11`). */
export const usageCounters = sqliteTable(
	'usage_counters',
	{
		orgId: text().notNull(),
		metric: text({ enum: ['encode_ms', 'delivery_ms'] }).notNull(),
		period: text().notNull(),
		value: integer({ mode: 'number' }).notNull(),
	},
	(t) => [uniqueIndex('usage_counters_key').on(t.orgId, t.period, t.metric)],
)
