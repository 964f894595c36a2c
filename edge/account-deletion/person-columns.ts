import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import * as deletion from '#schema/tables/account-deletion.ts'
import * as video from '#schema/tables/assets.ts'
import * as fleet from '#schema/tables/fleet.ts'
import * as identity from '#schema/tables/identity.ts'
import * as platform from '#schema/tables/platform.ts'
import * as playback from '#schema/tables/playback.ts'
import * as transcoding from '#schema/tables/transcoding.ts'

/** A column by which rows of a person are found, and what becomes of them when the account is deleted. */
export type PersonKey = {
	column: AnySQLiteColumn
	holds: 'user id' | 'email'
	/** The row goes, or it stays and forgets whose it was. */
	fate: 'delete' | 'null'
	/** Published by the person: goes as a whole with `delete_content`, whatever its fate is without. */
	isContent?: true
	/** Which rows may go before the final batch, when there are too many for it; all of them unless told. */
	early?: SQL
	/** What it is, for the README of an export. */
	says: string
}

/**
 * The registry of personal data: everything the database holds about people, and what becomes of it. A table joins
 * by adding rows here; a test walks the live schema and fails on a column that looks like a person and is not here.
 */
export const personKeys: readonly PersonKey[] = [
	{
		column: identity.sessions.userId,
		holds: 'user id',
		fate: 'delete',
		says: 'where you are signed in, with addresses and browsers',
	},
	{
		column: identity.otpCodes.email,
		holds: 'email',
		fate: 'delete',
		says: 'when codes were sent to your address',
	},
	{
		column: identity.orgInvitations.email,
		holds: 'email',
		fate: 'delete',
		says: 'invitations to organizations that were sent to your address',
	},
	{
		column: identity.orgInvitations.invitedByUserId,
		holds: 'user id',
		fate: 'null',
		says: 'invitations that you sent',
	},
	{
		column: identity.apiKeys.createdByUserId,
		holds: 'user id',
		fate: 'null',
		says: 'API keys that you made for an organization (they are the organization’s)',
	},
	{
		column: identity.orgMembers.userId,
		holds: 'user id',
		fate: 'delete',
		// Ownership is handed over in the final batch, which has to see what is owned.
		early: sql`${identity.orgMembers.role} <> 'owner'`,
		says: 'organizations that you are a member of',
	},
]

/** Columns that go with their row, which is found by one of the keys above or has a statement of its own. */
export const goesWithRow: readonly AnySQLiteColumn[] = [
	identity.users.email,
	identity.users.name,
	identity.sessions.ip,
	identity.sessions.userAgent,
]

/** Columns that have statements of their own (erase.ts). */
export const ownStatement: readonly AnySQLiteColumn[] = [
	identity.users.id,
	/** A new account’s organization is named after the person. */
	identity.orgs.name,
	identity.orgs.slug,
	deletion.accountDeletionRequests.userId,
	deletion.accountDeletionLogs.details,
]

/** Columns that look like a person and are none, each with the reason. */
export const impersonal: readonly [column: AnySQLiteColumn, why: string][] = [
	[identity.attempts.subject, 'a keyed hash that ends within a day'],
	[identity.apiKeys.name, 'chosen by the organization for a key'],
	[fleet.machines.name, 'a machine'],
	[video.collections.name, 'chosen by the organization for a collection'],
	[playback.comments.authorName, 'typed in by a viewer who needs no account; goes with the video'],
	[playback.comments.body, 'written by a viewer who needs no account; goes with the video'],
	[platform.outbox.payload, 'ids only, forgotten after 30 days'],
	[platform.idempotencyKeys.answer, 'sealed under a key that only its caller has, forgotten after a day'],
	[platform.deadLetters.body, 'addresses and texts are taken out before it is written (edge/queue.ts)'],
	[deletion.erasureLedger.userId, 'names nobody any more; needed to keep a backup from bringing them back'],
]

/** Columns by which rows of an organization are found: they go with an organization that nobody is left in. */
export const orgKeys: readonly AnySQLiteColumn[] = [
	identity.apiKeys.orgId,
	identity.orgInvitations.orgId,
	identity.usageCounters.orgId,
	video.assetTerms.orgId,
	video.assetSearch.orgId,
	video.assets.orgId,
	video.collections.orgId,
	transcoding.jobs.orgId,
	transcoding.tasks.orgId,
	transcoding.taskFailures.orgId,
]

/** Columns that name an organization and stay, or have statements of their own. */
export const orgKeysKept: readonly AnySQLiteColumn[] = [identity.orgMembers.orgId, platform.outbox.orgId]

/** Columns that no export shows: they would be of use to a thief only. */
export const secretColumns: readonly AnySQLiteColumn[] = [
	identity.users.passwordHash,
	identity.users.tokenVersion,
	identity.otpCodes.codeHash,
	identity.orgInvitations.nonce,
	identity.orgInvitations.tokenHash,
	identity.apiKeys.keyHash,
	deletion.accountDeletionRequests.tokenNonce,
	deletion.accountDeletionRequests.cancellationTokenHash,
]

export const tableOf = (column: AnySQLiteColumn): SQLiteTable => column.table as SQLiteTable

/** As it is called in the database (see `casing` in edge/platform/database.ts). */
export const nameOf = (column: AnySQLiteColumn): string =>
	column.name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const placeOf = (column: AnySQLiteColumn): string =>
	`${getTableName(tableOf(column))}.${nameOf(column)}`

export const columnsOf = (table: SQLiteTable): AnySQLiteColumn[] => Object.values(getTableColumns(table))
