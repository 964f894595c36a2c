import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, instant } from '../columns.ts'

/** The secrets of authenticator apps. A user has at most one that is set up and one that waits for its first code. */
export const totpSecrets = sqliteTable(
	'totp_secrets',
	{
		id: text().primaryKey(),
		userId: integer().notNull(),
		/** Sealed (edge/accounts/identity/second-factor/totp-secret.ts). */
		secret: text().notNull(),
		/** The time step of the last accepted code. No code of this step or an earlier one is accepted again. */
		lastStep: integer().notNull().default(0),
		createdAt: createdAt(),
		/** When its first code arrived; null while it waits. */
		confirmedAt: instant(),
	},
	(t) => [
		uniqueIndex('totp_secrets_confirmed').on(t.userId).where(sql`confirmed_at is not null`),
		uniqueIndex('totp_secrets_waiting').on(t.userId).where(sql`confirmed_at is null`),
		index('totp_secrets_user').on(t.userId),
		index('totp_secrets_stale').on(t.createdAt).where(sql`confirmed_at is null`),
	],
)

/** A used code is deleted. */
export const recoveryCodes = sqliteTable(
	'recovery_codes',
	{
		userId: integer().notNull(),
		/** SHA-256 of the code, which has 80 random bits. */
		codeHash: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [uniqueIndex('recovery_codes_key').on(t.userId, t.codeHash)],
)

export const passkeys = sqliteTable(
	'passkeys',
	{
		id: text().primaryKey(),
		userId: integer().notNull(),
		name: text().notNull(),
		/** The id that the authenticator chose, in base64url. */
		credentialId: text().notNull(),
		/** The public key as SubjectPublicKeyInfo (DER), in base64url. */
		publicKey: text().notNull(),
		/** The COSE algorithm: -7 for ES256, -257 for RS256. */
		algorithm: integer().notNull(),
		/** The signature counter. 0 for authenticators without one. */
		counter: integer().notNull(),
		/** Whether the authenticator says that the key is kept in several places. */
		backedUp: integer({ mode: 'boolean' }).notNull(),
		createdAt: createdAt(),
		lastUsedAt: instant(),
	},
	(t) => [
		uniqueIndex('passkeys_credential').on(t.credentialId),
		index('passkeys_user').on(t.userId, t.createdAt, t.id),
	],
)

/** Challenges that a passkey signed, so that none works twice. Those that nobody signed are not stored. */
export const usedChallenges = sqliteTable(
	'used_challenges',
	{
		challengeHash: text().primaryKey(),
		expiresAt: instant().notNull(),
	},
	(t) => [index('used_challenges_expiry').on(t.expiresAt)],
)
