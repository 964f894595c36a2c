import { sql } from 'drizzle-orm'
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { createdAt, indexAt, instant } from '../columns.ts'

/** Community ids are integers that are never reused, as the specification of the headless API requires. */
export const communities = sqliteTable(
	'communities',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		/** The organization that manages the community; null once it was deleted. */
		orgId: text(),
		slug: text().notNull(),
		/** Any community may claim a domain, which has no effect until it is verified. */
		customDomain: text(),
		name: text().notNull(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		/** Names of the community's own reactions, besides emojis and `like`. */
		reactions: text({ mode: 'json' }).$type<string[]>().notNull().default([]),
		/** The value that the TXT record must contain to prove the claim. */
		domainProof: text(),
		domainClaimedAt: instant(),
		domainVerifiedAt: instant(),
		domainCheckedAt: instant(),
		/** Since when the record of a verified domain is missing. */
		domainMissingSince: instant(),
		domainProblem: text({
			enum: ['missing', 'wrong_value', 'unreachable', 'held', 'taken_over', 'lost'],
		}),
		/** When a user last requested a check. A new claim keeps it, so that it allows no additional checks. */
		domainAskedAt: instant(),
		/** When the sweep checks the record next. */
		domainCheckAt: instant(),
	},
	(t) => [
		uniqueIndex('communities_slug').on(t.slug),
		uniqueIndex('communities_verified_domain').on(t.customDomain).where(sql`domain_verified_at is not null`),
		index('communities_domain_due').on(t.domainCheckAt).where(sql`domain_check_at is not null`),
		index('communities_org').on(t.orgId, t.createdAt, t.id),
	],
)

/** Deleted communities with remaining rows, which are deleted in steps because there may be very many. */
export const communityRemovals = sqliteTable(
	'community_removals',
	{
		communityId: integer().primaryKey(),
		/** When the sweep may next send the removal to the queue. */
		dueAt: instant().notNull(),
	},
	(t) => [index('community_removals_due').on(t.dueAt)],
)

/** A user in a community. Posts and comments refer to the user, participation such as RSVPs to the membership. */
export const memberships = sqliteTable(
	'memberships',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		userId: integer().notNull(),
		role: text({ enum: ['owner', 'admin', 'moderator', 'member'] }).notNull(),
		status: text({ enum: ['invited', 'active', 'inactive', 'banned'] }).notNull(),
		/** The id of the person in the organization's own sign-in system. */
		ssoUserId: text(),
		avatarUrl: text(),
		headline: text(),
		bio: text(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		/** The values of the profile fields by field id, as JSON. */
		profile: text().notNull().default('{}'),
		indexAt: indexAt(),
		/** The name of the person in the community; null for the name of the account. */
		name: text(),
		/** The object key of the uploaded image that `avatarUrl` serves. */
		avatarKey: text(),
		/** The unproved address of a managed member, as the organization gave it. Nothing is mailed to it. */
		email: text(),
		/** When the member last marked each space as read, by space id. */
		spacesSeen: text({ mode: 'json' }).$type<Record<string, number>>().notNull().default({}),
		/** When the member last reset the number of new notifications. */
		notificationsSeenAt: instant(),
	},
	(t) => [
		index('memberships_email').on(t.email, t.communityId).where(sql`email is not null`),
		uniqueIndex('memberships_community_user').on(t.communityId, t.userId),
		uniqueIndex('memberships_sso').on(t.communityId, t.ssoUserId).where(sql`sso_user_id is not null`),
		index('memberships_user').on(t.userId, t.status, t.communityId),
		index('memberships_unindexed').on(t.indexAt).where(sql`index_at is not null`),
		index('memberships_joined').on(t.communityId, t.createdAt, t.id),
		index('memberships_role').on(t.communityId, t.role, t.createdAt, t.id),
		index('memberships_status').on(t.communityId, t.status, t.createdAt, t.id),
	],
)

/** Invitations of one address. `nonce` is the token of the link, sealed (edge/platform/tokens/link-token.ts). */
export const communityInvitations = sqliteTable(
	'community_invitations',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		email: text().notNull(),
		role: text({ enum: ['owner', 'admin', 'moderator', 'member'] }).notNull(),
		invitedByUserId: integer(),
		nonce: text().notNull(),
		tokenHash: text().notNull(),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
		acceptedAt: instant(),
		/** Set if a member invited, not the organization. The invitation is valid while that member may grant its role. */
		invitedByMembershipId: integer(),
		/** The initial values of the membership. */
		ssoUserId: text(),
		avatarUrl: text(),
		headline: text(),
		bio: text(),
	},
	(t) => [
		uniqueIndex('community_invitations_token').on(t.tokenHash),
		uniqueIndex('community_invitations_open').on(t.communityId, t.email).where(sql`accepted_at is null`),
		index('community_invitations_list').on(t.communityId, t.createdAt, t.id),
		index('community_invitations_email').on(t.email),
		index('community_invitations_inviter').on(t.invitedByUserId).where(sql`invited_by_user_id is not null`),
	],
)

/** Links that many people may join with. The token is shown once; only its hash is stored. */
export const invitationLinks = sqliteTable(
	'invitation_links',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		name: text().notNull(),
		role: text({ enum: ['admin', 'moderator', 'member'] }).notNull(),
		accessGroupIds: text({ mode: 'json' }).$type<number[]>().notNull(),
		maxUses: integer(),
		uses: integer().notNull().default(0),
		tokenHash: text().notNull(),
		/** The link works while this user is an admin or owner of the organization. */
		madeByUserId: integer().notNull(),
		createdAt: createdAt(),
		expiresAt: instant(),
	},
	(t) => [
		uniqueIndex('invitation_links_token').on(t.tokenHash),
		index('invitation_links_list').on(t.communityId, t.createdAt, t.id),
		index('invitation_links_maker').on(t.madeByUserId),
	],
)

/** OpenID providers with which people sign in to a community. Ids are never reused: they are part of `ssoUserId`. */
export const communityIdentityProviders = sqliteTable(
	'community_identity_providers',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		/** What the button of a sign-in page says. */
		label: text().notNull(),
		issuer: text().notNull(),
		clientId: text().notNull(),
		/** Sealed for this community, issuer and client. */
		clientSecret: text().notNull(),
		/** Whether somebody who is no member becomes one. */
		joining: text({ enum: ['anyone', 'members'] }).notNull(),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
	},
	(t) => [index('community_identity_providers_list').on(t.communityId, t.id)],
)

/** Grants to which member tokens belong. Deleting a grant revokes all of its tokens. */
export const memberGrants = sqliteTable(
	'member_grants',
	{
		id: text().primaryKey(),
		membershipId: integer().notNull(),
		/** SHA-256 of the current refresh token, which is used once and then replaced. */
		refreshHash: text().notNull(),
		/** SHA-256 of the part that all refresh tokens of the grant share. Use of an old one ends the grant. */
		familyHash: text(),
		/** Raised to revoke all access tokens issued so far. */
		accessVersion: integer().notNull().default(1),
		/** users.tokenVersion at the time of creation: a password change ends the grant. */
		tokenVersion: integer().notNull(),
		createdAt: createdAt(),
		expiresAt: instant().notNull(),
	},
	(t) => [
		uniqueIndex('member_grants_refresh').on(t.refreshHash),
		uniqueIndex('member_grants_family').on(t.familyHash),
		index('member_grants_membership').on(t.membershipId),
		index('member_grants_expiry').on(t.expiresAt),
	],
)

export const spaceGroups = sqliteTable(
	'space_groups',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		name: text().notNull(),
		slug: text().notNull(),
		position: integer().notNull().default(0),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('space_groups_slug').on(t.communityId, t.slug),
		index('space_groups_order').on(t.communityId, t.position, t.id),
	],
)

/** The lowest role that may write in a space. */
const spacePolicy = () =>
	text({ enum: ['everyone', 'moderators', 'admins', 'nobody'] })
		.notNull()
		.default('everyone')

export const spaces = sqliteTable(
	'spaces',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		spaceGroupId: integer(),
		name: text().notNull(),
		slug: text().notNull(),
		spaceType: text({ enum: ['basic', 'event', 'image', 'members', 'chat', 'course'] }).notNull(),
		/** Private and secret spaces both require an access group. Clients should not mention a secret space anywhere either. */
		visibility: text({ enum: ['public', 'private', 'secret'] }).notNull(),
		position: integer().notNull().default(0),
		createdAt: createdAt(),
		updatedAt: instant().notNull(),
		emoji: text(),
		description: text().notNull().default(''),
		/** Who may create posts and events. */
		postPolicy: spacePolicy(),
		/** Who may comment and reply. */
		commentPolicy: spacePolicy(),
		/** The number of posts that are neither deleted nor hidden, updated in the batch of each change. */
		postsCount: integer().notNull().default(0),
	},
	(t) => [
		uniqueIndex('spaces_slug').on(t.communityId, t.slug),
		index('spaces_order').on(t.communityId, t.position, t.id),
		index('spaces_group').on(t.spaceGroupId).where(sql`space_group_id is not null`),
	],
)

export const accessGroups = sqliteTable(
	'access_groups',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		name: text().notNull(),
		status: text({ enum: ['active', 'archived'] }).notNull(),
		createdAt: createdAt(),
	},
	(t) => [index('access_groups_community').on(t.communityId, t.createdAt, t.id)],
)

export const accessGroupMembers = sqliteTable(
	'access_group_members',
	{
		accessGroupId: integer().notNull(),
		membershipId: integer().notNull(),
		expiresAt: instant(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('access_group_members_key').on(t.accessGroupId, t.membershipId),
		index('access_group_members_member').on(t.membershipId),
		index('access_group_members_added').on(t.accessGroupId, t.createdAt, t.membershipId),
	],
)

export const accessGroupSpaces = sqliteTable(
	'access_group_spaces',
	{
		accessGroupId: integer().notNull(),
		spaceId: integer().notNull(),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('access_group_spaces_key').on(t.accessGroupId, t.spaceId),
		index('access_group_spaces_space').on(t.spaceId),
	],
)

export const profileFields = sqliteTable(
	'profile_fields',
	{
		id: integer().primaryKey({ autoIncrement: true }),
		communityId: integer().notNull(),
		key: text().notNull(),
		label: text().notNull(),
		fieldType: text({
			enum: ['text', 'textarea', 'number', 'date', 'url', 'select', 'multi_select', 'checkbox'],
		}).notNull(),
		required: integer({ mode: 'boolean' }).notNull(),
		options: text({ mode: 'json' }).$type<string[]>().notNull(),
		position: integer().notNull().default(0),
		createdAt: createdAt(),
	},
	(t) => [
		uniqueIndex('profile_fields_key').on(t.communityId, t.key),
		index('profile_fields_order').on(t.communityId, t.position, t.id),
	],
)

/** The URL of a member's private calendar. Everyone who knows the URL can read it, so members can replace it. */
export const calendarFeeds = sqliteTable(
	'calendar_feeds',
	{
		membershipId: integer().primaryKey(),
		tokenHash: text().notNull(),
		createdAt: createdAt(),
	},
	(t) => [uniqueIndex('calendar_feeds_token').on(t.tokenHash)],
)
