import { sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import * as deletion from '#schema/tables/account-deletion.ts'
import * as video from '#schema/tables/assets.ts'
import * as community from '#schema/tables/community.ts'
import * as content from '#schema/tables/community-content.ts'
import * as search from '#schema/tables/community-search.ts'
import * as fleet from '#schema/tables/fleet.ts'
import * as identity from '#schema/tables/identity.ts'
import * as notification from '#schema/tables/notifications.ts'
import * as platform from '#schema/tables/platform.ts'
import * as playback from '#schema/tables/playback.ts'
import * as transcoding from '#schema/tables/transcoding.ts'
import type { PersonalData, PersonKey } from '../../platform/personal-data.ts'
import {
	updateAvatarDependents,
	updateCommentDependents,
	updateImageDependents,
	updatePostDependents,
	updateRsvpDependents,
} from '../execute/counters.ts'
import { isUnreferenced } from '../execute/erasure-step.ts'

/**
 * The registry of personal data: everything the database holds about people, and what becomes of it. A table joins
 * by adding rows here; a test walks the live schema and fails on a column that looks like a person and is not here.
 */
export const personKeys: readonly PersonKey[] = [
	{
		column: identity.sessions.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'where you are signed in, with addresses and browsers',
	},
	{
		column: identity.otpCodes.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'when codes were sent to your address',
	},
	{
		column: identity.addressCodes.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'when codes were sent to verify or change your address',
	},
	{
		column: identity.addressCodes.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'when codes were sent to your address to make it that of an account',
	},
	{
		column: identity.signInOrigins.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'how many networks and browsers you signed in from (as hashes)',
	},
	{
		column: identity.orgInvitations.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'invitations to organizations that were sent to your address',
	},
	{
		// Without its sender an invitation would look as if an API key had made it, and would stay good.
		column: identity.orgInvitations.invitedByUserId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'invitations that you sent',
	},
	{
		column: community.communityInvitations.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'invitations into communities that were sent to your address',
	},
	{
		column: community.communityInvitations.invitedByUserId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'invitations into communities that you sent',
	},
	{
		column: identity.apiKeys.createdByUserId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'API keys that you made for an organization; they stop working with your account',
	},
	{
		column: identity.orgs.createdByUserId,
		holds: 'user id',
		onDeletion: 'null',
		description: 'organizations that you made',
	},
	{
		column: identity.orgMembers.userId,
		holds: 'user id',
		onDeletion: 'delete',
		// Ownership is handed over in the final batch, which has to see what is owned.
		early: sql`${identity.orgMembers.role} <> 'owner'`,
		description: 'organizations that you are a member of',
	},
	{
		column: content.posts.authorId,
		holds: 'user id',
		onDeletion: 'null',
		isContent: true,
		texts: { title: sql`null`, body: sql`''` },
		updateDependents: updatePostDependents,
		description: 'posts that you wrote',
	},
	{
		column: content.postComments.authorId,
		holds: 'user id',
		onDeletion: 'null',
		isContent: true,
		texts: { body: sql`''` },
		updateDependents: updateCommentDependents,
		description: 'comments that you wrote',
	},
	{
		column: content.images.uploaderId,
		holds: 'user id',
		onDeletion: 'null',
		isContent: true,
		updateDependents: updateImageDependents,
		description: 'pictures that you put on posts',
	},
	{
		column: content.events.hostId,
		holds: 'user id',
		onDeletion: 'null',
		description: 'events that you host',
	},
	{ column: content.bookmarks.userId, holds: 'user id', onDeletion: 'delete', description: 'your bookmarks' },
	{
		column: content.postFollowers.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'posts that you follow',
	},
	{
		column: content.eventRsvps.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		updateDependents: updateRsvpDependents,
		description: 'events that you attend',
	},
	{
		column: content.postReactions.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'your reactions',
	},
	{
		column: community.accessGroupMembers.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'access groups of communities that you are in',
	},
	{
		column: community.memberGrants.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'where you are signed in to communities',
	},
	{
		column: community.calendarFeeds.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'private calendars that you have an address of',
	},
	{
		column: content.pointTransactions.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'points that you were given',
	},
	{
		column: content.pointTransactions.awardedByUserId,
		holds: 'user id',
		onDeletion: 'null',
		description: 'points that you gave',
	},
	{
		column: content.flags.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'what you reported to those who moderate',
	},
	{
		column: search.memberTerms.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'words by which members find you',
	},
	{
		column: search.memberTexts.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'what search compares of what you tell of yourself',
	},
	{
		column: notification.notifications.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'what you were told of in communities',
	},
	{
		column: notification.notifications.actorId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'what others were told of that you did',
	},
	{
		column: notification.notificationMutes.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'what you do not want to be told of',
	},
	{
		column: community.memberships.userId,
		holds: 'user id',
		onDeletion: 'delete',
		updateDependents: updateAvatarDependents,
		// The final batch has to see what the person leaves behind.
		get early() {
			return sql`memberships.role <> 'owner' and exists (select 1 from memberships m where m.community_id = memberships.community_id and m.user_id <> memberships.user_id and m.status = 'active') and ${isUnreferenced(community.memberships.id, heldByMembership())}`
		},
		description: 'communities that you are a member of, with your name, profile and avatar there',
	},
]

const heldByMembership = () =>
	personKeys.filter(({ holds }) => holds === 'membership id').map(({ column }) => column)

/** Columns that go with their row, which is found by one of the keys above or has a statement of its own. */
export const goesWithRow: readonly AnySQLiteColumn[] = [
	identity.users.email,
	identity.users.emailVerifiedAt,
	identity.users.name,
	identity.users.signupName,
	identity.sessions.ip,
	identity.sessions.userAgent,
	community.memberships.ssoUserId,
	community.memberships.name,
	community.memberships.avatarUrl,
	community.memberships.avatarKey,
	community.memberships.headline,
	community.memberships.bio,
	community.memberships.profile,
	community.communityInvitations.ssoUserId,
	community.communityInvitations.avatarUrl,
	community.communityInvitations.headline,
	community.communityInvitations.bio,
	content.posts.body,
	content.postComments.body,
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
	[community.communities.name, 'chosen for a community'],
	[community.communities.slug, 'chosen for a community'],
	[community.spaceGroups.name, 'chosen for a community'],
	[community.spaceGroups.slug, 'chosen for a community'],
	[community.spaces.name, 'chosen for a community'],
	[community.spaces.slug, 'chosen for a community'],
	[community.accessGroups.name, 'chosen for a community'],
	[content.tags.name, 'chosen for a community'],
	[content.tags.slug, 'chosen for a community'],
	[
		community.communityInvitations.invitedByMembershipId,
		'names nobody once the membership is gone; null would say that the organization invited',
	],
	[content.events.inPersonLocation, 'where an event takes place'],
	[
		notification.cancelledEvents.title,
		'what an event of a community was called, without its host; goes after 90 days',
	],
	[playback.comments.authorName, 'typed in by a viewer who needs no account; goes with the video'],
	[playback.comments.body, 'written by a viewer who needs no account; goes with the video'],
	[
		platform.outbox.payload,
		'ids; words go when it is done (edge/platform/outbox/outbox.ts), the rest after 30 days',
	],
	[platform.dataKeys.name, 'what a key of the installation is for'],
	[platform.idempotencyKeys.answer, 'sealed under a key that only its caller has, forgotten after a day'],
	[platform.deadLetters.body, 'addresses and texts are taken out before it is written (edge/queue.ts)'],
	[deletion.erasureLedger.userId, 'names nobody any more; needed to keep a backup from bringing them back'],
]

/** Columns by which rows of an organization are found: they go with an organization that nobody is left in. */
export const orgKeys: readonly AnySQLiteColumn[] = [
	identity.apiKeys.orgId,
	identity.orgInvitations.orgId,
	identity.usageCounters.orgId,
	platform.mailReports.orgId,
	video.assetTerms.orgId,
	video.assetSearch.orgId,
	video.collections.orgId,
]

/** Columns that name an organization and stay, or whose rows are found in other ways (deserted.ts). */
export const orgKeysKept: readonly AnySQLiteColumn[] = [
	identity.orgMembers.orgId,
	platform.outbox.orgId,
	community.communities.orgId,
	video.assets.orgId,
	transcoding.jobs.orgId,
	transcoding.tasks.orgId,
	transcoding.taskFailures.orgId,
]

/** Columns that no export shows: they would be of use to a thief only. */
export const secretColumns: readonly AnySQLiteColumn[] = [
	identity.users.passwordHash,
	identity.users.tokenVersion,
	identity.otpCodes.codeHash,
	identity.otpCodes.asker,
	identity.sessions.renewalId,
	identity.sessions.formerRenewalId,
	identity.addressCodes.codeHash,
	identity.signInOrigins.originHash,
	identity.orgInvitations.nonce,
	identity.orgInvitations.tokenHash,
	identity.apiKeys.keyHash,
	community.communityInvitations.nonce,
	community.communityInvitations.tokenHash,
	community.memberGrants.refreshHash,
	community.memberGrants.familyHash,
	community.calendarFeeds.tokenHash,
	community.memberGrants.accessVersion,
	community.memberGrants.tokenVersion,
	deletion.accountDeletionRequests.tokenNonce,
	deletion.accountDeletionRequests.cancellationTokenHash,
	platform.dataKeys.sealed,
]

/** What the features hold about people today. A feature that comes later brings its own (`Feature.personalData`). */
export const personalData: PersonalData = {
	personKeys,
	goesWithRow,
	ownStatement,
	impersonal,
	orgKeys,
	orgKeysKept,
	secretColumns,
}
