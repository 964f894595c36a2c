import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Preferences } from '#schema/contract/accounts/preferences.ts'
import type { SuspensionReason } from '#schema/contract/accounts/suspension.ts'
import type { VideoCodec } from '#schema/contract/video/tasks.ts'
import type { PlayerDefaults } from '#schema/contract/watch/settings/branding.ts'
import type { AnalyticsSettings } from '#schema/contract/watch/settings/settings.ts'
import { createdAt, instant } from '../columns.ts'

/** One row per person, for videos, communities and account deletion alike. Ids are never reused. */
export const users = sqliteTable(
	'users',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		/** Null for a managed member, whom an organization vouches for: nothing that looks up an address finds the row. */
		email: text(),
		name: text().notNull(),
		/** When the user proved that they receive mail at `email`; null while the address is unverified. */
		emailVerifiedAt: instant(),
		/** PHC string; null for a user who signs in with codes only. */
		passwordHash: text(),
		/** Raised to revoke all tokens issued so far. */
		tokenVersion: integer().notNull().default(1),
		isSuperadmin: integer({ mode: 'boolean' }).notNull().default(false),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		/** The original name of a renamed account. The organization of the sign-up is named after it. */
		signupName: text(),
		/** When a superadmin locked the account; null if it is not locked. */
		lockedAt: instant(),
		/** Since when the account has an authenticator app or a passkey; null while it has neither. */
		secondFactorAt: instant(),
		/** Joins a managed member with the membership that the same batch inserts; null for an account. */
		managedKey: text(),
		/** Since when a managed member without a membership waits for erasure, and whether posts and comments go, too. */
		eraseAt: instant(),
		eraseContent: integer({ mode: 'boolean' }).notNull().default(false),
		/** The user's preferences for pages, without fields that have the default. */
		preferences: text({ mode: 'json' }).$type<Partial<Preferences>>(),
	},
	(t) => [
		uniqueIndex('users_email').on(t.email),
		uniqueIndex('users_managed').on(t.managedKey).where(sql`managed_key is not null`),
		index('users_to_erase').on(t.eraseAt).where(sql`erase_at is not null`),
		index('users_name').on(sql`lower(name)`),
		index('users_superadmins').on(t.id).where(sql`is_superadmin = 1`),
		index('users_locked').on(t.id).where(sql`locked_at is not null`),
	],
)

export const sessions = sqliteTable(
	'sessions',
	{
		id: text().primaryKey(),
		userId: integer().notNull(),
		userAgent: text().notNull(),
		ip: text().notNull(),
		/** Two letters; null where the platform does not know it. */
		country: text(),
		/** Whether the last proof was a one-time code. For a while, the session may then set a password without the old one. */
		byCode: integer({ mode: 'boolean' }).notNull(),
		createdAt: createdAt(),
		lastSeenAt: instant().notNull(),
		expiresAt: instant().notNull(),
		/** When the user last entered their password or a one-time code. */
		provedAt: instant().notNull().default(0),
		/** The id that the next renewal must present; used once, then replaced. */
		renewalId: text().notNull().default(''),
		/** The previous id, for a client that lost the response and retries. */
		formerRenewalId: text(),
		renewedAt: instant(),
		/** When the user last entered a second factor in this session. */
		secondFactorAt: instant(),
	},
	(t) => [index('sessions_user').on(t.userId, t.createdAt), index('sessions_expiry').on(t.expiresAt)],
)

/** Codes work for ten minutes but are kept for a day, because the send limits count these rows. */
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
		/** Keyed hash of the network or known device that requested the code. Each has its own send limits. */
		asker: text().notNull().default(''),
	},
	(t) => [index('otp_codes_email').on(t.email, t.createdAt), index('otp_codes_created').on(t.createdAt)],
)

/** Codes that a signed-in user requested to verify or change the address. Kept for a day, like `otpCodes`. */
export const addressCodes = sqliteTable(
	'address_codes',
	{
		id: text().primaryKey(),
		userId: integer().notNull(),
		purpose: text({ enum: ['verify', 'change-from', 'change-to'] }).notNull(),
		/** The address that the code was sent to. */
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

/** Networks and browsers of earlier sign-ins to an account. A sign-in from any other causes a notice by mail. */
export const signInOrigins = sqliteTable(
	'sign_in_origins',
	{
		userId: integer().notNull(),
		/** A keyed hash of a network or a browser. */
		originHash: text().notNull(),
		/** The first session from this network or browser. */
		firstSessionId: text().notNull(),
		lastSeenAt: instant().notNull(),
	},
	(t) => [
		uniqueIndex('sign_in_origins_key').on(t.userId, t.originHash),
		index('sign_in_origins_seen').on(t.lastSeenAt),
	],
)

/** Exact counters of attempts to guess a secret: one row per subject and window. */
export const attempts = sqliteTable(
	'attempts',
	{
		/** A keyed hash of the rule and its subject, so that no address or IP address is readable. */
		subject: text().primaryKey(),
		count: integer().notNull(),
		windowEndsAt: instant().notNull(),
		/** No attempt is accepted before this instant. */
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
		/** Since when a reason other than `billing` suspends the organization; null while there is none. */
		suspendedAt: instant(),
		/** Why the organization is suspended, sorted; the statement that changes them sets `suspendedAt`, too. */
		suspensionReasons: text({ mode: 'json' }).$type<SuspensionReason[]>().notNull().default([]),
		/** When the reasons last changed. Time limits start again, so that nothing expires while it is held. */
		suspensionChangedAt: instant(),
		/** Whether superadmins may act as members of the organization. */
		supportAccess: integer({ mode: 'boolean' }).notNull().default(true),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		/** The codecs in which the organization's videos are encoded. */
		videoCodecs: text({ mode: 'json' }).$type<VideoCodec[]>().notNull().default(['h264']),
		/** The user whose limit of organizations this one counts against, even after a change of owner. */
		createdByUserId: integer(),
		/** The branding, in playback records: a color, and the look of the player. New rows get the color of the product. */
		primaryColor: text().notNull().default('#4f46e5'),
		theme: text({ enum: ['dark', 'light', 'auto'] })
			.notNull()
			.default('dark'),
		/** An object in the media bucket. */
		logoKey: text(),
		playerDefaults: text({ mode: 'json' })
			.$type<PlayerDefaults>()
			.notNull()
			.default({ autoplay: false, muted: false, captions: false, controls: true }),
		/** Hosts whose pages may embed the organization's videos, in the form of edge/watch/settings/embed-domains.ts. Empty: all. */
		allowedEmbedDomains: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
		analytics: text({ mode: 'json' })
			.$type<AnalyticsSettings>()
			.notNull()
			.default({ collect: 'full', onDoNotTrack: 'anonymous', showLiveCount: true }),
		/** The tier that a superadmin set in place of `tier`, and why. It applies before `tierOverrideUntil`. */
		tierOverride: text({ enum: ['free', 'pro', 'business', 'self-hosted'] }),
		tierOverrideUntil: instant(),
		tierOverrideReason: text(),
		/** The tier that the organization pays for. It applies before `paidTierUntil`, in place of `tier`. */
		paidTier: text({ enum: ['pro', 'business'] }),
		paidTierUntil: instant(),
		/** Whether members need a second factor to act in the organization. */
		requiresSecondFactor: integer({ mode: 'boolean' }).notNull().default(false),
		/** Whether the creation of an API key needs a recent proof. */
		keysNeedProof: integer({ mode: 'boolean' }).notNull().default(false),
	},
	(t) => [
		uniqueIndex('orgs_slug').on(t.slug),
		index('orgs_creator').on(t.createdByUserId, t.tier),
		index('orgs_name').on(sql`lower(name)`),
		index('orgs_created').on(t.createdAt, t.id),
		index('orgs_tier').on(t.tier, t.createdAt, t.id),
		index('orgs_tier_override').on(t.tierOverride, t.createdAt, t.id).where(sql`tier_override is not null`),
		index('orgs_paid_tier').on(t.paidTier, t.createdAt, t.id).where(sql`paid_tier is not null`),
		index('orgs_suspended_logo').on(t.logoKey).where(sql`suspended_at is not null and logo_key is not null`),
		index('orgs_suspension_reasons').on(t.createdAt, t.id).where(sql`suspension_reasons <> '[]'`),
		index('orgs_suspended').on(t.createdAt, t.id).where(sql`suspended_at is not null`),
	],
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
		/** The token of the link, sealed (edge/platform/tokens/link-token.ts), and its hash. */
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
		/** SHA-256 of the key. The key itself is shown once and never stored. */
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
		metric: text({ enum: ['encode_ms'] }).notNull(),
		period: text().notNull(),
		value: integer({ mode: 'number' }).notNull(),
	},
	(t) => [uniqueIndex('usage_counters_key').on(t.orgId, t.period, t.metric)],
)
