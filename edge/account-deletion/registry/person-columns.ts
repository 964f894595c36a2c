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
 * The registry of personal data: which columns hold a person, and what a deletion does to them. A test walks the live
 * schema and fails if a column that looks personal is missing here. The README of an export shows each description.
 */
export const personKeys: readonly PersonKey[] = [
	{
		column: identity.sessions.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'your sessions, with IP addresses and browsers',
	},
	{
		column: identity.otpCodes.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'sign-in codes that were sent to your address',
	},
	{
		column: identity.addressCodes.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'codes that you requested to verify or change your address',
	},
	{
		column: identity.addressCodes.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'codes that were sent to your address to use it for an account',
	},
	{
		column: identity.signInOrigins.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'networks and browsers that you signed in from, stored as hashes',
	},
	{
		column: identity.orgInvitations.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'invitations to organizations, sent to your address',
	},
	{
		// Must be deleted: without its sender, an invitation would count as sent by an API key and stay valid.
		column: identity.orgInvitations.invitedByUserId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'invitations to organizations that you sent',
	},
	{
		column: community.communityInvitations.email,
		holds: 'email',
		onDeletion: 'delete',
		description: 'invitations to communities, sent to your address',
	},
	{
		column: community.communityInvitations.invitedByUserId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'invitations to communities that you sent',
	},
	{
		column: identity.apiKeys.createdByUserId,
		holds: 'user id',
		onDeletion: 'delete',
		description:
			'API keys that you created for organizations; they stop working when your account is deleted',
	},
	{
		column: identity.orgs.createdByUserId,
		holds: 'user id',
		onDeletion: 'null',
		description: 'organizations that you created',
	},
	{
		column: identity.orgMembers.userId,
		holds: 'user id',
		onDeletion: 'delete',
		// The final batch transfers ownership, so it needs the owner rows.
		early: sql`${identity.orgMembers.role} <> 'owner'`,
		description: 'your memberships in organizations',
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
		description: 'images that you uploaded to posts',
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
		description: 'your RSVPs to events',
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
		description: 'access groups that you belong to in communities',
	},
	{
		column: community.memberGrants.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'your sessions in communities',
	},
	{
		column: community.calendarFeeds.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'your private calendar feeds',
	},
	{
		column: content.pointTransactions.userId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'points that you received',
	},
	{
		column: content.pointTransactions.awardedByUserId,
		holds: 'user id',
		onDeletion: 'null',
		description: 'points that you awarded to others',
	},
	{
		column: content.flags.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'your reports to moderators',
	},
	{
		column: search.memberTerms.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'words by which members can find your profile',
	},
	{
		column: search.memberTexts.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'the text of your profile as prepared for search',
	},
	{
		column: notification.notifications.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'notifications that you received in communities',
	},
	{
		column: notification.notifications.actorId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'notifications that others received about your activity',
	},
	{
		column: notification.notificationMutes.membershipId,
		holds: 'membership id',
		onDeletion: 'delete',
		description: 'notifications that you turned off',
	},
	{
		column: community.memberships.userId,
		holds: 'user id',
		onDeletion: 'delete',
		updateDependents: updateAvatarDependents,
		// The final batch needs these rows to find the person's communities and what the memberships hold.
		get early() {
			return sql`memberships.role <> 'owner' and exists (select 1 from memberships m where m.community_id = memberships.community_id and m.user_id <> memberships.user_id and m.status = 'active') and ${isUnreferenced(community.memberships.id, heldByMembership())}`
		},
		description: 'your memberships in communities, with your name, profile and avatar there',
	},
]

const heldByMembership = () =>
	personKeys.filter(({ holds }) => holds === 'membership id').map(({ column }) => column)

/** Columns that are erased with their row, which one of the keys above or a separate statement finds. */
export const erasedWithRow: readonly AnySQLiteColumn[] = [
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

/** Columns that are erased by separate statements in erase.ts. */
export const erasedSeparately: readonly AnySQLiteColumn[] = [
	identity.users.id,
	/** The first organization of an account is named after the person. */
	identity.orgs.name,
	identity.orgs.slug,
	deletion.accountDeletionRequests.userId,
	deletion.accountDeletionLogs.details,
]

/** Columns that look personal but need no erasure, each with the reason. */
export const impersonal: readonly [column: AnySQLiteColumn, why: string][] = [
	[identity.attempts.subject, 'a keyed hash that is deleted within a day'],
	[identity.apiKeys.name, 'the name of a key, chosen by the organization'],
	[fleet.machines.name, 'the name of a machine'],
	[video.collections.name, 'the name of a collection, chosen by the organization'],
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
		'identifies nobody once the membership is deleted; null would mean that the organization invited',
	],
	[content.events.inPersonLocation, 'where an event takes place'],
	[
		notification.cancelledEvents.title,
		'the title of a cancelled event, without its host; deleted after 90 days',
	],
	[playback.comments.authorName, 'typed in by a viewer who needs no account; deleted with the video'],
	[playback.comments.body, 'written by a viewer who needs no account; deleted with the video'],
	[
		platform.outbox.payload,
		'ids; texts are removed once the event is handled (edge/platform/outbox/outbox.ts), the row after 30 days',
	],
	[platform.dataKeys.name, 'the purpose of a key of the installation'],
	[platform.idempotencyKeys.answer, 'sealed under a key that only the caller has; deleted after a day'],
	[platform.deadLetters.body, 'addresses and texts are removed before it is stored (edge/queue.ts)'],
	[
		deletion.erasureLedger.userId,
		'identifies nobody any more; keeps a restored backup from bringing them back',
	],
]

/** Columns that find the rows of an organization. The rows are deleted with an organization whose only member leaves. */
export const orgKeys: readonly AnySQLiteColumn[] = [
	identity.apiKeys.orgId,
	identity.orgInvitations.orgId,
	identity.usageCounters.orgId,
	platform.mailReports.orgId,
	video.assetTerms.orgId,
	video.assetSearch.orgId,
	video.collections.orgId,
]

/** Columns that refer to an organization but whose rows stay or have separate statements (sole-member-orgs.ts). */
export const keptOrgKeys: readonly AnySQLiteColumn[] = [
	identity.orgMembers.orgId,
	platform.outbox.orgId,
	community.communities.orgId,
	video.assets.orgId,
	transcoding.jobs.orgId,
	transcoding.tasks.orgId,
	transcoding.taskFailures.orgId,
]

/** Columns that no export contains, because only a thief could use them. */
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

/** The registry of today's features. A new feature can add its own part as `Feature.personalData`. */
export const personalData: PersonalData = {
	personKeys,
	erasedWithRow,
	erasedSeparately,
	impersonal,
	orgKeys,
	keptOrgKeys,
	secretColumns,
}
