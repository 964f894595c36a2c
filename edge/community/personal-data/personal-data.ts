import { sql } from 'drizzle-orm'
import * as community from '#schema/tables/community/community.ts'
import * as content from '#schema/tables/community/content.ts'
import * as notification from '#schema/tables/community/notifications.ts'
import * as search from '#schema/tables/community/search.ts'
import { isUnreferenced, type PersonalData, type PersonKey } from '../../platform/personal-data.ts'
import {
	updateCommentDependents,
	updateImageDependents,
	updateMembershipDependents,
	updatePostDependents,
	updateReactionDependents,
	updateRsvpDependents,
} from './dependents.ts'

const personKeys: readonly PersonKey[] = [
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
		column: community.invitationLinks.madeByUserId,
		holds: 'user id',
		onDeletion: 'delete',
		description: 'invitation links that you made',
	},
	{
		column: content.posts.authorId,
		holds: 'user id',
		onDeletion: 'null',
		isContent: true,
		texts: { title: sql`null`, body: sql`''`, hiddenReason: sql`null` },
		updateDependents: updatePostDependents,
		description: 'posts that you wrote',
	},
	{
		column: content.postComments.authorId,
		holds: 'user id',
		onDeletion: 'null',
		isContent: true,
		texts: { body: sql`''`, hiddenReason: sql`null` },
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
		description: 'posts that you follow or have unfollowed',
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
		updateDependents: updateReactionDependents,
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
		updateDependents: updateMembershipDependents,
		// The final batch needs these rows to find the person's communities and membership data.
		get early() {
			return sql`
				memberships.role <> 'owner'
				and exists (
					select 1 from memberships m
					where m.community_id = memberships.community_id
						and m.user_id <> memberships.user_id
						and m.status = 'active'
				)
				and ${isUnreferenced(community.memberships.id, heldByMembership())}
			`
		},
		description: 'your memberships in communities, with your name, profile and avatar there',
	},
]

const heldByMembership = () =>
	personKeys.filter(({ holds }) => holds === 'membership id').map(({ column }) => column)

export const communityPersonalData: Partial<PersonalData> = {
	personKeys,
	erasedWithRow: [
		community.memberships.ssoUserId,
		community.memberships.name,
		community.memberships.email,
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
	],
	impersonal: [
		[community.communities.name, 'chosen for a community'],
		[community.communities.slug, 'chosen for a community'],
		[community.spaceGroups.name, 'chosen for a community'],
		[community.spaceGroups.slug, 'chosen for a community'],
		[community.spaces.name, 'chosen for a community'],
		[community.spaces.slug, 'chosen for a community'],
		[community.invitationLinks.name, 'chosen for a community'],
		[community.accessGroups.name, 'chosen for a community'],
		[community.communityIdentityProviders.label, 'chosen for a community'],
		[community.communityIdentityProviders.issuer, 'the address of a service'],
		[community.communityIdentityProviders.clientId, 'identifies the community at a service'],
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
	],
	keptOrgKeys: [community.communities.orgId],
	secretColumns: [
		community.communityInvitations.nonce,
		community.communityInvitations.tokenHash,
		community.invitationLinks.tokenHash,
		community.memberGrants.refreshHash,
		community.memberGrants.familyHash,
		community.calendarFeeds.tokenHash,
		community.communityIdentityProviders.clientSecret,
		community.memberGrants.accessVersion,
		community.memberGrants.tokenVersion,
	],
}
