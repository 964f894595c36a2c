import { and, eq, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { apiKeys, orgInvitations, orgMembers, orgs, users } from '#schema/tables/accounts/identity.ts'
import { passkeys, recoveryCodes, totpSecrets } from '#schema/tables/accounts/second-factor.ts'
import { webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import {
	accessGroupMembers,
	accessGroupSpaces,
	calendarFeeds,
	communityIdentityProviders,
	communityInvitations,
	invitationLinks,
	memberships,
} from '#schema/tables/community/community.ts'
import { accountDeletionRequests } from '#schema/tables/operations/account-deletion.ts'
import { assets } from '#schema/tables/video/assets.ts'
import { machines } from '#schema/tables/video/fleet.ts'
import { removeFactorStatements } from '../../../../accounts/identity/second-factor/factor-statements.ts'
import type { Db } from '../../../../platform/database/database.ts'
import type { Revocation } from '../revocations.ts'

type Statement = BatchItem<'sqlite'>
type Repeat = (db: Db, revocation: Revocation, now: number) => readonly Statement[]
/** Actions that the step repeats with verbs of their features. */
type Elsewhere =
	| 'org.suspended'
	| 'asset.deleted'
	| 'asset.ready'
	| 'asset.trashed'
	| 'asset.restored'
	| 'account.deletion_requested'
export type RepeatedHere = Exclude<Revocation['what'], Elsewhere>

/** More token versions than any backup can lack. A literal, because D1 binds numbers as floats. */
const VERSIONS = sql.raw('1000')
const WEBHOOK_REASON =
	'the database was restored to a state before the endpoint was deleted, or its URL or secret was changed; check its URL and secret'

const inList = (ids: readonly string[]): SQL => sql`(select value from json_each(${JSON.stringify(ids)}))`

/** Matches an integer id that an entry has as text. */
const intIs = (column: SQL, id: string | null): SQL => sql`${column} = cast(${id} as integer)`

const emailOf = (userId: number | null): SQL => sql`(select u.email from users as u where u.id = ${userId})`

/**
 * Returns the role that a person was given, and those above it, from the highest. Only these lose something: a role that was
 * given after the backup is lost, like everything that was granted. So the order of several changes does not matter.
 */
const loweredTo = <R extends string>(roles: readonly [R, ...R[]], name: string | undefined) => {
	const rank = roles.indexOf(name as R)
	return rank === -1
		? { role: roles[0], higher: [] }
		: { role: roles[rank] as R, higher: roles.slice(0, rank) }
}

/** Deletes the API keys and invitations that ended with a person's role in an organization. */
const endManagement = (db: Db, { details }: Revocation): Statement[] => [
	db.delete(apiKeys).where(sql`${apiKeys.id} in ${inList(details.endedApiKeys ?? [])}`),
	db.delete(orgInvitations).where(sql`${orgInvitations.id} in ${inList(details.revokedInvitations ?? [])}`),
]

/** Ends a membership. The invitation that led to it is open again, and would lead back. */
const endMembership =
	(status: 'inactive' | 'banned'): Repeat =>
	(db, { targetId }, now) => [
		db.delete(communityInvitations).where(
			and(
				isNull(communityInvitations.acceptedAt),
				sql`(${communityInvitations.communityId}, ${communityInvitations.email}) in (
						select m.community_id, u.email from memberships as m
						join users as u on u.id = m.user_id
						where m.id = cast(${targetId} as integer)
					)`,
			),
		),
		db.delete(calendarFeeds).where(intIs(sql`${calendarFeeds.membershipId}`, targetId)),
		db
			.update(memberships)
			.set({ status, role: 'member', updatedAt: now })
			.where(and(intIs(sql`${memberships.id}`, targetId), ne(memberships.status, 'banned'))),
	]

const disableWebhook: Repeat = (db, { targetId }, now) => [
	db
		.update(webhookEndpoints)
		.set({ status: 'disabled', statusReason: WEBHOOK_REASON, updatedAt: now })
		.where(eq(webhookEndpoints.id, targetId ?? '')),
]

/**
 * Removes the factors that a user has removed since the backup. A user has one authenticator app at most, so it needs
 * no id. An app that was replaced stays: without it, a password alone would sign in.
 */
const repeatFactorRemoval: Repeat = (db, { targetId, userId, details }, now) => {
	const id = userId ?? 0
	const ofUser = { totp: eq(totpSecrets.userId, id), passkeys: eq(passkeys.userId, id) }
	switch (details.change) {
		case 'totp_removed':
			return withoutFactor(db, id, db.delete(totpSecrets).where(ofUser.totp), now)
		case 'passkey_removed': {
			const removed = and(ofUser.passkeys, eq(passkeys.id, targetId ?? ''))
			return withoutFactor(db, id, db.delete(passkeys).where(removed), now)
		}
		case 'reset':
			return [
				db.delete(totpSecrets).where(ofUser.totp),
				...withoutFactor(db, id, db.delete(passkeys).where(ofUser.passkeys), now),
			]
		case 'recovery_codes_replaced':
			return [db.delete(recoveryCodes).where(eq(recoveryCodes.userId, id))]
		default:
			return []
	}
}

const withoutFactor = (db: Db, userId: number, removed: Statement, now: number): Statement[] => [
	removed,
	...Object.values(removeFactorStatements(db, userId, now)),
]

const repeats: Record<RepeatedHere, Repeat> = {
	'api_key.deleted': (db, { targetId }) => [db.delete(apiKeys).where(eq(apiKeys.id, targetId ?? ''))],
	'member.removed': (db, revocation) => {
		const { orgId, userId } = revocation
		const isOfOrg = eq(orgInvitations.orgId, orgId ?? '')
		return [
			...endManagement(db, revocation),
			db
				.delete(orgInvitations)
				.where(
					and(isOfOrg, sql`${orgInvitations.email} = ${emailOf(userId)}`, isNull(orgInvitations.acceptedAt)),
				),
			db.delete(orgMembers).where(and(eq(orgMembers.orgId, orgId ?? ''), eq(orgMembers.userId, userId ?? 0))),
		]
	},
	'member.role_changed': (db, revocation) => {
		const { orgId, userId, details } = revocation
		const { role, higher } = loweredTo(['owner', 'admin', 'member'], details.role)
		const isMember = and(eq(orgMembers.orgId, orgId ?? ''), eq(orgMembers.userId, userId ?? 0))
		return [
			...endManagement(db, revocation),
			db
				.update(orgMembers)
				.set({ role })
				.where(and(isMember, inArray(orgMembers.role, higher))),
		]
	},
	'member.invitation_revoked': (db, { targetId }) => [
		db.delete(orgInvitations).where(eq(orgInvitations.id, targetId ?? '')),
	],
	'webhook.deleted': disableWebhook,
	'webhook.updated': (db, revocation, now) =>
		revocation.details.changed?.includes('url') ? disableWebhook(db, revocation, now) : [],
	'webhook.secret_rotated': disableWebhook,
	'playback_tokens.revoked': (db, { targetId }) => [
		db
			.update(assets)
			.set({ playbackTokenVersion: sql`${assets.playbackTokenVersion} + ${VERSIONS}` })
			.where(eq(assets.id, targetId ?? '')),
	],
	'community_member.left': endMembership('inactive'),
	'community_member.removed': endMembership('inactive'),
	'community_member.banned': endMembership('banned'),
	'community_member.updated': (db, revocation, now) => {
		const { targetId, details } = revocation
		const { role, higher } = loweredTo(['owner', 'admin', 'moderator', 'member'], details.role)
		const status = (['inactive', 'banned'] as const).find((each) => each === details.status)
		return [
			db
				.update(memberships)
				.set({ role, updatedAt: now })
				.where(and(intIs(sql`${memberships.id}`, targetId), inArray(memberships.role, higher))),
			...(status ? endMembership(status)(db, revocation, now) : []),
		]
	},
	'community_member.invitation_revoked': (db, { targetId }) => [
		db.delete(communityInvitations).where(intIs(sql`${communityInvitations.id}`, targetId)),
	],
	'invitation_link.revoked': (db, { targetId }) => [
		db.delete(invitationLinks).where(intIs(sql`${invitationLinks.id}`, targetId)),
	],
	'identity_provider.updated': (db, { targetId, details }, now) =>
		details.joining === 'members'
			? [
					db
						.update(communityIdentityProviders)
						.set({ joining: 'members', updatedAt: now })
						.where(intIs(sql`${communityIdentityProviders.id}`, targetId)),
				]
			: [],
	'identity_provider.deleted': (db, { targetId }) => [
		db.delete(communityIdentityProviders).where(intIs(sql`${communityIdentityProviders.id}`, targetId)),
	],
	'access_group.deleted': (db, { targetId }) => [
		db.delete(accessGroupMembers).where(intIs(sql`${accessGroupMembers.accessGroupId}`, targetId)),
		db.delete(accessGroupSpaces).where(intIs(sql`${accessGroupSpaces.accessGroupId}`, targetId)),
	],
	'access_group.member_removed': (db, { targetId, userId }) => [
		db.delete(accessGroupMembers).where(
			and(
				intIs(sql`${accessGroupMembers.accessGroupId}`, targetId),
				sql`${accessGroupMembers.membershipId} in (
						select m.id from memberships as m where m.user_id = ${userId}
					)`,
			),
		),
	],
	'access_group.space_removed': (db, { targetId, details }) => [
		db
			.delete(accessGroupSpaces)
			.where(
				and(
					intIs(sql`${accessGroupSpaces.accessGroupId}`, targetId),
					eq(accessGroupSpaces.spaceId, details.spaceId ?? 0),
				),
			),
	],
	'superadmin.revoked': (db, { userId }, now) => [
		db
			.update(users)
			.set({ isSuperadmin: false, updatedAt: now })
			.where(
				and(
					eq(users.id, userId ?? 0),
					sql`
						exists (
							select 1 from users as staying where staying.is_superadmin = 1 and staying.id <> ${userId}
						)
					`,
				),
			),
	],
	'user.locked': (db, { userId }, now) => [
		db
			.update(users)
			.set({ lockedAt: sql`coalesce(${users.lockedAt}, cast(${now} as integer))` })
			.where(eq(users.id, userId ?? 0)),
	],
	'support_access.changed': (db, { orgId, details }) =>
		details.allowed === false
			? [
					db
						.update(orgs)
						.set({ supportAccess: false })
						.where(eq(orgs.id, orgId ?? '')),
				]
			: [],
	'machine.evicted': (db, { targetId }, now) => [
		db
			.update(machines)
			.set({ evictedAt: sql`coalesce(${machines.evictedAt}, cast(${now} as integer))`, state: 'offline' })
			.where(eq(machines.id, targetId ?? '')),
	],
	// The former password may be known to others. The owner of the address signs in with a code and sets a new one.
	'account.password_changed': (db, { userId }, now) => [
		db
			.update(users)
			.set({ passwordHash: null, updatedAt: now })
			.where(eq(users.id, userId ?? 0)),
	],
	// The former address may belong to somebody else, who would get the codes. A superadmin decides; the only one who can
	// unlock accounts is not locked.
	'account.email_changed': (db, { userId }, now) => [
		db
			.update(users)
			.set({ passwordHash: null, updatedAt: now })
			.where(eq(users.id, userId ?? 0)),
		db
			.update(users)
			.set({ lockedAt: sql`coalesce(${users.lockedAt}, cast(${now} as integer))` })
			.where(and(eq(users.id, userId ?? 0), eq(users.isSuperadmin, false))),
	],
	'account.second_factor_changed': repeatFactorRemoval,
	'account.deletion_cancelled': (db, { targetId }, now) => [
		db
			.update(accountDeletionRequests)
			.set({ status: 'cancelled', cancelledAt: now })
			.where(
				and(
					eq(accountDeletionRequests.id, targetId ?? ''),
					inArray(accountDeletionRequests.status, ['pending', 'confirmed']),
					isNull(accountDeletionRequests.executingAt),
				),
			),
	],
}

export const revocationStore = (db: Db) => ({
	/** Returns the revocations whose entry or event is missing in the database. Their ids are used once. */
	async findLacking(revocations: readonly Revocation[]): Promise<Revocation[]> {
		const ids = JSON.stringify(revocations.map(({ id }) => id))
		const rows = await db.all<{ id: string }>(
			sql`
				select value as id from json_each(${ids}) as given
				where not exists (select 1 from audit_log as a where a.id = given.value)
					and not exists (select 1 from outbox as o where o.id = given.value)
			`,
		)
		const lacking = new Set(rows.map(({ id }) => id))
		return revocations.filter(({ id }) => lacking.has(id))
	},

	async repeat(revocation: Revocation & { what: RepeatedHere }, now: number): Promise<void> {
		const [first, ...rest] = repeats[revocation.what](db, revocation, now)
		if (first) await db.batch([first, ...rest])
	},
})
